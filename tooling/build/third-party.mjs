// Finds the third-party packages inside a bundle: their licences must accompany the published bundle.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Licences (SPDX) that ask a published bundle only for the text of the licence. */
const ALLOWED_LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
])

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i

/**
 * Returns the packages in node_modules that a bundle's files come from, sorted by name.
 *
 * @param inputs paths of the bundle's files, in the form of esbuild's metafile
 * @throws Error if a package states no licence or a licence that is not allowed, or has no file with the licence's text
 */
export function thirdParty(inputs) {
  const folders = new Set(inputs.flatMap((path) => packageFolder(path) ?? []))
  const packages = new Map()
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const { name, version } = manifest
    packages.set(`${name}@${version}`, {
      name,
      version,
      license: licenceOf(manifest),
      texts: licenceTexts(folder, name),
    })
  }
  return [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
}

/** Returns the names, versions and licence texts of packages as one text for a bundle's file of notices. */
export function noticesOf(packages) {
  const each = packages.map(
    ({ name, version, license, texts }) => `${name} ${version} (${license})\n\n${texts.join('\n\n')}`,
  )
  return `${each.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** Returns the folder of a file's package in node_modules; undefined for a file of this repository. */
function packageFolder(path) {
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(path.replaceAll('\\', '/'))?.[0]
}

function licenceOf({ name, license }) {
  if (typeof license !== 'string' || license === '')
    throw new Error(`${name} is bundled, but package.json of ${name} states no licence`)
  if (isAllowed(license)) return license
  throw new Error(
    `${name} is bundled under the licence ${license}; allowed are ${[...ALLOWED_LICENCES].join(', ')}, listed in tooling/build/third-party.mjs`,
  )
}

/** Returns true if one alternative of an SPDX expression such as `(MIT OR GPL-2.0)` has only allowed licences. */
export function isAllowed(expression) {
  const alternatives = expression.replaceAll(/[()]/g, '').split(' OR ')
  return alternatives.some((each) => each.split(' AND ').every((licence) => ALLOWED_LICENCES.has(licence.trim())))
}

function licenceTexts(folder, name) {
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
  if (files.length === 0) throw new Error(`${name} is bundled, but has no file with the text of the licence: ${folder}`)
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
}

/** Returns the existing input files in esbuild's metafile of a bundle. @param folder working folder of esbuild */
export function bundledFrom(folder, { inputs }) {
  return Object.keys(inputs)
    .filter((path) => !path.includes(':'))
    .map((path) => join(folder, path))
    .filter((path) => existsSync(path))
}
