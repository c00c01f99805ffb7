echo scaffolded > data.txt; printf "a\000b" > bin.dat
