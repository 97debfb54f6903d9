// Imported first: says in plain words what a cryptic missing export would say later.
const needed = [22, 15]
const found = process.versions.node.split('.').map(Number)
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    `cloister needs Node ${needed.join('.')} or newer (for zstd-compressed logs); this is Node ${process.versions.node}.\n`,
  )
  process.exit(2)
}
