"""Writes each line of standard input to a file, and only then to standard output. tee writes in the other order."""
import sys

with open(sys.argv[1], "w") as kept:
    for line in sys.stdin:
        kept.write(line)
        kept.flush()
        sys.stdout.write(line)
        sys.stdout.flush()
