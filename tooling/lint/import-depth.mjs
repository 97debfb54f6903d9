// Prints the longest chain of imports in a folder: node tooling/lint/import-depth.mjs apps/cli/src
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Returns the files of the longest chain of imports in a folder. `import()` counts, `import type` does not. */
export function longestChain(folder) {
  const chains = new Map()
  const chainFrom = (file) => {
    if (chains.has(file)) return chains.get(file)
    chains.set(file, [file])
    const longest = importsOf(file)
      .map(chainFrom)
      .reduce((best, chain) => (chain.length > best.length ? chain : best), [])
    chains.set(file, [file, ...longest])
    return chains.get(file)
  }
  const files = globSync(join(folder, '**/*.{ts,tsx}')).filter((file) => !file.endsWith('.d.ts'))
  return files
    .sort()
    .map(chainFrom)
    .reduce((best, chain) => (chain.length > best.length ? chain : best), [])
    .map((file) => relative(folder, file))
}

function importsOf(file) {
  const text = readFileSync(file, 'utf8')
  const statements = text.matchAll(
    /^(?:import|export)\b(?! type)[^'"]*?from '(\.[^']+)'|import\('(\.[^']+)'\)|^import '(\.[^']+)'/gm,
  )
  return [...statements].map(([, from, onDemand, alone]) => join(dirname(file), from ?? onDemand ?? alone))
}

if (import.meta.main) {
  const chain = longestChain(process.argv[2])
  console.log(`${chain.length} files: ${chain.join(' > ')}`)
}
