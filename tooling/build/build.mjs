#!/usr/bin/env node
// Builds the library package in the current folder: the modules that the entries of `exports` need, then the declarations.
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

const options = {
  bundle: true,
  packages: 'external',
  format: 'esm',
  target: 'es2024',
  platform: 'neutral',
  external: ['node:*'],
  logLevel: 'warning',
}

/** Keeps the modules of the package apart, so that a user's bundler can leave out the modules that nobody imports. */
const modulesApart = {
  name: 'modules-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
    )
  },
}

rmSync('dist', { recursive: true, force: true })
const { metafile } = await build({ ...options, entryPoints, outdir: 'dist', write: false, metafile: true })
await build({
  ...options,
  entryPoints: Object.keys(metafile.inputs).filter((path) => path.startsWith('src/')),
  plugins: [modulesApart],
  outdir: 'dist',
  outbase: 'src',
  sourcemap: true,
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
