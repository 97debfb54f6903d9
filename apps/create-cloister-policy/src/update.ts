import { diff } from 'node:util'
import { filesAndRecord, type Material, RECORD, type Release, sha256Of, type TemplateRecord } from './package-files.ts'

/** Changes of a package by an update. */
export interface Update {
  /** New texts of files, by path. */
  readonly writes: Readonly<Record<string, string>>
  /** Sentences about version ranges and files, for people. */
  readonly said: ReadonlyArray<string>
  /** Releases of the contract after the one that the package was made for. */
  readonly releases: ReadonlyArray<Release>
}

/**
 * Finds the changes that carry a package of `npm create cloister-policy` to the contract of this program's version.
 *
 * A file of the template is rewritten if the author has not changed the file since its last writing. The code of the
 * policy belongs to the author, and is never rewritten. A file with CRLF keeps this line end: git may write CRLF.
 *
 * @param readFile returns the text of a file of the package; undefined if the package has no such file
 * @throws UpdateError outside of such a package, or in a package made by a newer version
 */
export function updateOf(material: Material, readFile: (file: string) => string | undefined): Update {
  const read = (file: string): string | undefined => readFile(file)?.replaceAll('\r\n', '\n')
  const record = recordOf(read(RECORD))
  const template = Object.hasOwn(material.templates, record.template) ? material.templates[record.template] : undefined
  if (template === undefined)
    throw new UpdateError(
      `${RECORD}: found the template ${JSON.stringify(record.template)}, expected one of ${Object.keys(material.templates).join(', ')}`,
    )
  if (isNewer(record.version, material.version))
    throw new UpdateError(
      `${RECORD}: the package has version ${record.version} of the template, and this program is version ${material.version}; npx -p create-cloister-policy@latest cloister-policy update runs the newest version`,
    )
  const { files, record: next } = filesAndRecord(material, record.template, record.name)
  const said: Array<string> = []
  const writes: Record<string, string> = {}
  const manifest = updatedManifest(read('package.json'), material, said)
  if (manifest !== undefined) writes['package.json'] = manifest
  for (const [file, sha256] of Object.entries(next.files)) {
    const found = read(file)
    if (record.files[file] === sha256 || found === files[file]) continue
    const isOwn = found === undefined ? record.files[file] === undefined : sha256Of(found) === record.files[file]
    if (isOwn) {
      writes[file] = files[file]
      said.push(`${file}: ${found === undefined ? 'new' : 'rewritten'}`)
    } else if (found === undefined) said.push(`${file}: the template has a new text, but the package has no such file`)
    else
      said.push(
        `${file}: kept, because the file has changes; to the new text of the template:`,
        difference(found, files[file]),
      )
  }
  const text = `${JSON.stringify(next, null, 2)}\n`
  if (read(RECORD) !== text) writes[RECORD] = text
  const releases = material.changes[template.kind === 'order' ? 'order' : 'policy'].filter(
    ({ version }) => isNewer(version, record.contract) && !isNewer(version, next.contract),
  )
  for (const [file, changed] of Object.entries(writes))
    if (readFile(file)?.includes('\r\n') === true) writes[file] = changed.replaceAll('\n', '\r\n')
  return { writes, said, releases }
}

/** Error for a folder that cannot be updated. */
export class UpdateError extends Error {
  readonly _tag = 'UpdateError'
}

/** @throws UpdateError */
function recordOf(text: string | undefined): TemplateRecord {
  if (text === undefined)
    throw new UpdateError(
      `this folder has no ${RECORD}, which npm create cloister-policy writes; run the command in the folder of a package that npm create cloister-policy made`,
    )
  try {
    const { template, name, version, contract, files } = JSON.parse(text) as TemplateRecord
    const texts = [template, name, version, contract, ...Object.values(files)]
    if (texts.every((each) => typeof each === 'string') && isVersion(version) && isVersion(contract))
      return { template, name, version, contract, files }
  } catch {
    // The message is the same for text that is no JSON.
  }
  throw new UpdateError(`${RECORD}: found another text than npm create cloister-policy writes; restore the file`)
}

/** Returns package.json with the version ranges of this program; undefined if all ranges are the same. */
function updatedManifest(text: string | undefined, material: Material, said: Array<string>): string | undefined {
  if (text === undefined) throw new UpdateError('this folder has no package.json')
  let manifest: { [section: string]: unknown }
  try {
    manifest = JSON.parse(text)
  } catch (error) {
    throw new UpdateError(`package.json: ${(error as Error).message}`)
  }
  if (Object(manifest) !== manifest)
    throw new UpdateError('package.json: expected an object with the fields of a package')
  let isChanged = false
  for (const section of ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies']) {
    const ranges = Object(manifest[section]) as { [name: string]: string }
    for (const [name, range] of Object.entries(ranges)) {
      const next = material.versions[name]
      if (next === undefined || next === range) continue
      if (!/^[\^~]?\d+\.\d+\.\d+$/.test(range) || isNewer(range.replace(/^[\^~]/, ''), next.replace('^', ''))) {
        said.push(`package.json: ${name} stays at ${range}; this version of the contract needs ${next}`)
        continue
      }
      said.push(`package.json: ${name} ${range} becomes ${next}`)
      ranges[name] = next
      isChanged = true
    }
  }
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? 2
  return isChanged ? `${JSON.stringify(manifest, null, indent)}\n` : undefined
}

const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+/.test(text)

/** Returns true if the version `a` is newer than the version `b`. */
function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((each) => each.split(/[.-]/, 3).map(Number))
  const at = left.findIndex((part, index) => part !== right[index])
  return at !== -1 && left[at] > right[at]
}

/** Returns the changed lines from one text to another, with two lines around each change. */
function difference(from: string, to: string): string {
  const lines = diff(from.split('\n'), to.split('\n')) as ReadonlyArray<readonly [-1 | 0 | 1, string]>
  const isNear = (at: number): boolean => lines.slice(Math.max(at - 2, 0), at + 3).some(([kind]) => kind !== 0)
  return lines
    .flatMap(([kind, line], at) => {
      if (isNear(at)) return [`  ${{ 1: '-', 0: ' ', [-1]: '+' }[kind]}${line}`]
      return at > 0 && isNear(at - 1) ? ['  …'] : []
    })
    .join('\n')
}
