// The program imports this file first. Without this check an old Node would report a cryptic missing export.
const needed = [22, 15]
const found = process.versions.node.split('.').map(Number)
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    `cloister needs Node ${needed.join('.')} or newer (for zstd-compressed logs); this is Node ${process.versions.node}.\n`,
  )
  process.exit(2)
}
