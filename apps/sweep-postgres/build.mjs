// Bundles the package with the tested version of Effect, because the queue uses unstable modules of Effect.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledFrom, noticesOf, thirdParty } from '@cloister/build/third-party'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const dist = join(here, 'dist')
rmSync(dist, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ['src/index.ts'],
  outdir: dist,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
})
const notices = noticesOf(thirdParty(bundledFrom(here, metafile)))
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), `The files beside this one contain:\n\n${notices}`)

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--rootDir', 'src', '--outDir', 'dist']
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...options], { cwd: here, stdio: 'inherit' })
