#!/usr/bin/env node
// Builds the library package in the current folder: a bundle for each entry of `exports`, then the declarations.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
// An entry of `exports` without `default` is only for tests and is not built.
const entryPoints = Object.values(manifest.exports)
  .filter((target) => target.default !== undefined)
  .map((target) => target['@cloister/source'])

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints,
  outdir: 'dist',
  outbase: 'src',
  bundle: true,
  packages: 'external',
  splitting: true,
  format: 'esm',
  target: 'es2024',
  platform: 'neutral',
  external: ['node:*'],
  sourcemap: true,
  logLevel: 'warning',
})

// tsc reads the built declarations of other packages (customConditions is empty), never their sources.
writeFileSync(
  'dist/tsconfig.json',
  JSON.stringify({
    extends: '../tsconfig.json',
    compilerOptions: { noEmit: false, emitDeclarationOnly: true, customConditions: [], rootDir: '../src', outDir: '.' },
    include: ['../src'],
  }),
)
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
execFileSync(process.execPath, [tsc, '-p', 'dist/tsconfig.json'], { stdio: 'inherit' })
rmSync('dist/tsconfig.json')
