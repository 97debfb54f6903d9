// Bundles the program create-cloister-policy into dist, with templates and versions for new packages in material.json.
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { material } from './material.mjs'

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: { 'create-cloister-policy': 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'warning',
})
chmodSync('dist/create-cloister-policy.js', 0o755)
writeFileSync('dist/material.json', `${JSON.stringify(material(), null, 1)}\n`)
