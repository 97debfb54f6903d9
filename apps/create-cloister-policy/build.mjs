// Bundles the programs create-cloister-policy and cloister-policy into dist, with templates and versions for new packages in material.json.
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { material } from './material.mjs'

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: { 'create-cloister-policy': 'src/main.ts', 'cloister-policy': 'src/update-main.ts' },
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'warning',
})
for (const name of ['create-cloister-policy', 'cloister-policy']) chmodSync(`dist/${name}.js`, 0o755)
writeFileSync('dist/material.json', `${JSON.stringify(material(), null, 1)}\n`)
