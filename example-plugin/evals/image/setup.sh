cp "$(dirname "$0")/dot.png" dot.png
