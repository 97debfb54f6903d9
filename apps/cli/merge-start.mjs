// Merges the parts that every command loads into one file. Finding, opening and linking forty parts takes longer than
// reading one file.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const namedImport = /^(import|export) \{([^}]*)\} from "\.\/([^"]+)";/gm
const bareImport = /^import "\.\/([^"]+)";\n/gm

/**
 * Merges all modules that `entry` imports, directly or indirectly, into one file. The entry itself stays a separate
 * file, because worker threads import the merged file, too, and must not run the command line.
 *
 * @param {string} entry source path of the entry, as in esbuild's metafile
 * @param {string} dist folder with the parts that esbuild wrote
 * @param {import('esbuild').Metafile['outputs']} outputs description of the parts, from esbuild's metafile
 */
export async function mergeImportsOf(entry, dist, outputs) {
  const start = Object.keys(outputs).find((path) => outputs[path].entryPoint === entry)
  const parts = importsOf(start, outputs)
  const places = new Map(parts.map((path, place) => [basename(path), place]))
  const { outputFiles } = await build({
    stdin: { contents: parts.map((path, place) => reexport(path, outputs[path], place)).join('\n'), resolveDir: dist },
    bundle: true,
    write: false,
    outdir: dist,
    // The name of the merged file contains a hash of the content, like the name of every part.
    entryNames: 'start-imports-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    plugins: [keepDynamicImports],
    logLevel: 'warning',
  })
  const [merged] = outputFiles
  for (const name of places.keys()) rmSync(join(dist, name))
  for (const name of readdirSync(dist).filter((each) => each.endsWith('.js')))
    redirect(join(dist, name), places, basename(merged.path))
  writeFileSync(merged.path, merged.contents)
}

function importsOf(part, outputs) {
  const found = new Set()
  const visit = (path) => {
    for (const { path: next, kind, external } of outputs[path].imports) {
      if (kind !== 'import-statement' || external || found.has(next)) continue
      found.add(next)
      visit(next)
    }
  }
  visit(part)
  return [...found]
}

/** Two parts may export different values under one name, so that the place of the part makes the name unique. */
const mergedName = (name, place) => `${name}$${place}`

function reexport(path, { exports }, place) {
  const names = exports.map((name) => `${name} as ${mergedName(name, place)}`)
  return `export { ${names.join(', ')} } from './${basename(path)}'`
}

const keepDynamicImports = {
  name: 'keep-dynamic-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined))
  },
}

/** Replaces a file's imports from removed parts by imports from `merged`. */
function redirect(file, places, merged) {
  const source = readFileSync(file, 'utf8')
  const named = source.replace(namedImport, (statement, verb, list, part) => {
    if (!places.has(part)) return statement
    const names = list.split(',').map((each) => each.trim().split(' as '))
    const renamed = names.map(([name, local = name]) => `${mergedName(name, places.get(part))} as ${local}`)
    return `${verb} { ${renamed.join(', ')} } from "./${merged}";`
  })
  writeFileSync(
    file,
    named.replace(bareImport, (statement, part) => (places.has(part) ? '' : statement)),
  )
}
