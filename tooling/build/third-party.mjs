// Third-party packages inside a bundle, with their licences: the licences must accompany the bundle.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i

/**
 * Returns the packages that files come from, by name: name, version, licence and the texts of the licence.
 *
 * @param inputs paths of a bundle's files, in the form of esbuild's metafile
 * @throws Error for a package that lacks its licence or the text of the licence
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

/** Returns the notices of all packages as one text. */
export function noticesOf(packages) {
  const each = packages.map(
    ({ name, version, license, texts }) => `${name} ${version} (${license})\n\n${texts.join('\n\n')}`,
  )
  return `${each.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** Returns the folder of a file's package; undefined for a file of ours. */
function packageFolder(path) {
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(path.replaceAll('\\', '/'))?.[0]
}

/** Returns the licence of a package. Older packages have a list of licences to choose from. */
function licenceOf({ name, license, licenses }) {
  const expression = license ?? licenses?.map(({ type }) => type).join(' OR ')
  if (typeof expression === 'string' && expression !== '') return expression
  throw new Error(`${name} is bundled, but package.json of ${name} states no licence`)
}

function licenceTexts(folder, name) {
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
  if (files.length === 0) throw new Error(`${name} is bundled, but has no file with the text of the licence: ${folder}`)
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
}

/** Returns the input paths of a bundle made in a folder. esbuild's paths are relative to the folder. */
export function bundledFrom(folder, { inputs }) {
  return Object.keys(inputs)
    .filter((path) => !path.includes(':'))
    .map((path) => join(folder, path))
    .filter((path) => existsSync(path))
}
