import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtinReadmes } from 'cloister:builtin-readmes'
import type { FoundPolicy } from './policy-lookup.ts'

/** The first paragraph of a policy's README; undefined where its package has none, or is not to be found. */
export function policyIntroduction({ policy, origin }: FoundPolicy): string | undefined {
  const readme = origin === 'built in' ? builtinReadmes[policy.name] : readmeOf(origin, policy.name)
  return readme === undefined ? undefined : firstParagraph(readme)
}

function readmeOf(origin: string, name: string): string | undefined {
  const manifest = manifestOf(origin)
  if (manifest === undefined) return undefined
  const readme = join(dirname(manifest), 'README.md')
  // A file may stand in a folder of something else.
  const named = String((JSON.parse(readFileSync(manifest, 'utf8')) as { readonly name?: unknown }).name)
  const isOfPolicy = named === name || named.endsWith(`-${name}`) || named.endsWith(`/${name}`)
  return isOfPolicy && existsSync(readme) ? readFileSync(readme, 'utf8') : undefined
}

/** The package.json of what was imported as `origin` in the working directory. */
function manifestOf(origin: string): string | undefined {
  const isPath = /^(\.{0,2}\/|file:)|\.[cm]?[jt]s$/.test(origin)
  const specifier = !isPath ? origin : origin.startsWith('file:') ? origin : pathToFileURL(resolve(origin))
  try {
    const found = findPackageJSON(specifier, pathToFileURL(`${process.cwd()}${sep}`))
    // Of a file that is in no package the file itself is found.
    return found !== undefined && basename(found) === 'package.json' ? found : undefined
  } catch {
    return undefined
  }
}

function firstParagraph(markdown: string): string | undefined {
  const paragraphs = markdown.split(/\n\s*\n/).map((text) => text.trim().replaceAll('\n', ' '))
  return paragraphs.find((text) => text !== '' && !/^[#`<|!>-]/.test(text))
}
