// The main entry of each library and of the apps in `appsInBrowser` bundles for a browser with all imports.
import { globSync } from 'node:fs'
import { matchesGlob, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { appsInBrowser, inBrowser, ofPrograms } from '../boundaries.mjs'
import { bundle } from '../bundles.ts'

const root = resolve(import.meta.dirname, '../../..')
const folders = globSync(
  [...inBrowser.map((folder) => `packages/${folder}`), ...appsInBrowser.map((folder) => `apps/${folder}`)],
  { cwd: root },
).sort()

test.each(folders)('the main entry of %s bundles for a browser', async (folder) => {
  const { errors } = await bundle(`export * from './${folder}/src/index.ts'`)
  expect(errors).toEqual([])
})

test('boundaries.mjs lists every library in `inBrowser` or `ofPrograms`', () => {
  const others = globSync('{packages,packages/policies}/*/package.json', { cwd: root }).map((file) =>
    file.replace('/package.json', ''),
  )
  expect(
    others.filter(
      (folder) => ![...inBrowser, ...ofPrograms].some((pattern) => matchesGlob(folder, `packages/${pattern}`)),
    ),
  ).toEqual([])
})

test('code that imports node:fs does not bundle for a browser', async () => {
  await expect(bundle("import 'node:fs'")).rejects.toThrow('node:fs')
})
