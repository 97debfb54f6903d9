// Decides if apps/cli needs a new build. turbo could decide the same, but takes longer than most cloister commands.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folders with the inputs of the build: after a change in them turbo decides which packages to build. */
const SOURCES = ['packages', 'apps', 'tooling', 'traces']
const ROOT_FILES = [
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'tsconfig.base.json',
  'turbo.json',
  'vitest.config.ts',
]
/** Names of files and folders that tools write; they are no inputs of the build. */
const WRITTEN = new Set(['node_modules', 'dist', '.turbo', 'test-results.json', 'package.tgz'])
const OUTPUT = 'apps/cli/dist'

const stampFile = (root) => join(root, 'node_modules/.cache/cloister-built.json')

/** Adds names, sizes and times of all files in a folder to a hash; reading the contents would take too long. */
function addFolder(hash, root, folder) {
  const path = join(root, folder)
  if (!existsSync(path)) return
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (WRITTEN.has(entry.name)) continue
    if (entry.isDirectory()) addFolder(hash, root, `${folder}/${entry.name}`)
    else addFile(hash, root, `${folder}/${entry.name}`)
  }
}

function addFile(hash, root, file) {
  const stats = statSync(join(root, file), { throwIfNoEntry: false })
  if (stats !== undefined) hash.update(`${file} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}\n`)
}

/** Returns a stamp that changes with every file that the build may read. */
export function inputStamp(root) {
  const hash = createHash('sha256').update(process.versions.node)
  for (const file of ROOT_FILES) addFile(hash, root, file)
  for (const folder of SOURCES) addFolder(hash, root, folder)
  return hash.digest('hex')
}

function stampOf(inputs, root) {
  const hash = createHash('sha256').update(inputs)
  addFolder(hash, root, OUTPUT)
  return hash.digest('hex')
}

/** Returns true if the last build is present and was made from the present files. */
export function isBuilt(root, inputs) {
  const file = stampFile(root)
  return existsSync(file) && readFileSync(file, 'utf8') === stampOf(inputs, root)
}

/** Remembers a build. @param inputs stamp from before the build, so that changes during the build cause a new build */
export function rememberBuild(root, inputs) {
  const file = stampFile(root)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, stampOf(inputs, root))
}
