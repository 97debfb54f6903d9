// The main entry of a library, or of an app that is not only Node's, bundles for a browser, with all that it imports.
import { globSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { appsInBrowser, inBrowser } from '../boundaries.mjs'

const root = resolve(import.meta.dirname, '../../..')
const folders = globSync(
  [...inBrowser.map((folder) => `packages/${folder}`), ...appsInBrowser.map((folder) => `apps/${folder}`)],
  { cwd: root },
).sort()

const bundle = (entry: { path: string } | { code: string }) =>
  build({
    ...('path' in entry ? { entryPoints: [entry.path] } : { stdin: { contents: entry.code, resolveDir: root } }),
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    conditions: ['@cloister/source'],
    logLevel: 'silent',
  })

test.each(folders)('%s', async (folder) => {
  const { errors } = await bundle({ path: join(root, folder, 'src/index.ts') })
  expect(errors).toEqual([])
})

test('every library is looked at', () => {
  const others = globSync('{packages,packages/policies}/*/package.json', { cwd: root }).map((file) =>
    file.replace('/package.json', ''),
  )
  expect(others.filter((folder) => !inBrowser.some((pattern) => matchesGlob(folder, `packages/${pattern}`)))).toEqual(
    [],
  )
})

test('what needs Node does not bundle', async () => {
  await expect(bundle({ code: "import 'node:fs'" })).rejects.toThrow('node:fs')
})
