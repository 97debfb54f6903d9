// The packages of others that a bundle holds, with their licences: whoever gets the bundle has to get these too.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i

/**
 * Names, versions, licences and their texts of the packages that files come from, by name.
 *
 * @param inputs paths of files that a bundle is made of, as esbuild's metafile has them
 * @throws Error for a package that does not say its licence, or does not bring its text
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

/** All of it as one text. */
export function noticesOf(packages) {
  const each = packages.map(
    ({ name, version, license, texts }) => `${name} ${version} (${license})\n\n${texts.join('\n\n')}`,
  )
  return `${each.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** The folder of the package that a file is in; undefined for a file of ours. */
function packageFolder(path) {
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(path.replaceAll('\\', '/'))?.[0]
}

/** Older packages have a list of licences, any of which may be chosen. */
function licenceOf({ name, license, licenses }) {
  const expression = license ?? licenses?.map(({ type }) => type).join(' OR ')
  if (typeof expression === 'string' && expression !== '') return expression
  throw new Error(`${name} is bundled, and says not under which licence it is`)
}

function licenceTexts(folder, name) {
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
  if (files.length === 0) throw new Error(`${name} is bundled, and brings no text of its licence: ${folder}`)
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
}

/** For a bundle that was made in a folder: esbuild names its files as seen from there. */
export function bundledFrom(folder, { inputs }) {
  return Object.keys(inputs)
    .filter((path) => !path.includes(':'))
    .map((path) => join(folder, path))
    .filter((path) => existsSync(path))
}
