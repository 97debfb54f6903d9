import { describe, expect, test } from 'vitest'
import { material } from '../material.mjs'
import { filesAndRecord, type Material, RECORD } from '../src/package-files.ts'
import { updateOf } from '../src/update.ts'

const made: Material = material()

/** Returns the material of a later version: other ranges, another kit, licence and suite, and a release of the contract. */
function later(version: string): Material {
  const versions = Object.fromEntries(Object.keys(made.versions).map((name) => [name, `^${version}`]))
  const { baseline, python } = made.templates
  return {
    ...made,
    version,
    versions,
    ranges: { ...made.ranges, ...versions },
    licence: `${made.licence}Second paragraph.\n`,
    templates: {
      ...made.templates,
      baseline: { ...baseline, source: 'export const baseline = 2\n' },
      python: { ...python, kit: `${python.kit}# New.\n` },
    },
    changes: {
      policy: [{ version, text: '- A request has the new member `user`.' }, ...made.changes.policy],
      order: made.changes.order,
    },
  }
}

/** Returns the files of a new package, which a test may change. */
const filesOf = (template: string): { [file: string]: string } => ({
  ...filesAndRecord(made, template, 'first-fit').files,
})

const update = (files: { [file: string]: string }, to: Material) => {
  const found = updateOf(to, (file) => files[file])
  Object.assign(files, found.writes)
  return found
}

describe('cloister-policy update', () => {
  test.each(Object.keys(made.templates))('changes nothing in a new package of the template %s', (template) => {
    expect(updateOf(made, (file) => filesOf(template)[file])).toEqual({ writes: {}, said: [], releases: [] })
  })

  test.each(Object.keys(made.templates))(
    'makes the files of a new package of %s, except code and tests',
    (template) => {
      const to = later('1.2.0')
      const files = filesOf(template)
      const before = { ...files }
      update(files, to)
      for (const [file, text] of Object.entries(filesAndRecord(to, template, 'first-fit').files))
        expect(files[file], file).toBe(/^(src\/|policy\.py)/.test(file) ? before[file] : text)
      expect(update(files, to).writes).toEqual({})
    },
  )

  test('an update of files with CRLF changes the files of the template, and keeps CRLF', () => {
    const windows = (files: { readonly [file: string]: string }): { [file: string]: string } =>
      Object.fromEntries(Object.entries(files).map(([file, text]) => [file, text.replaceAll('\n', '\r\n')]))
    const [files, plain] = [windows(filesOf('python')), filesOf('python')]
    expect(update(files, made)).toEqual({ writes: {}, said: [], releases: [] })
    expect(update(files, later('1.2.0')).said).toEqual(update(plain, later('1.2.0')).said)
    expect(files).toEqual(windows(plain))
  })

  test('names ranges, files and the releases of the contract after the version of the package', () => {
    const python = filesOf('python')
    const [range] = /\^\d+\.\d+\.\d+/.exec(python['package.json'])!
    const { said, releases } = update(python, later('1.2.0'))
    expect(said).toEqual([
      `package.json: cloister ${range} becomes ^1.2.0`,
      'cloister.py: rewritten',
      'LICENSE: rewritten',
    ])
    expect(releases).toEqual([{ version: '1.2.0', text: '- A request has the new member `user`.' }])
    const ofOrder = update(filesOf('order'), later('1.2.0'))
    expect(ofOrder.releases).toEqual([])
    expect(ofOrder.said).toContain(`package.json: @cloister/ordering ${range} becomes ^1.2.0`)
  })

  test('keeps a file that the author changed, and shows the difference once', () => {
    const files = filesOf('baseline')
    files['LICENSE'] = files['LICENSE'].replace('Apache License', 'My licence')
    const mine = files['LICENSE']
    const { said } = update(files, later('1.2.0'))
    expect(files['LICENSE']).toBe(mine)
    expect(said).toContain('LICENSE: kept, because the file has changes; to the new text of the template:')
    expect(said.at(-1)).toMatch(/^ {2}-\s+My licence$/m)
    expect(said.at(-1)).toMatch(/^ {2}\+Second paragraph\.$/m)
    expect(said.at(-1)!.split('\n').length).toBeLessThan(20)
    expect(update(files, later('1.2.0'))).toMatchObject({ writes: {}, said: [] })
    expect(update(files, later('1.3.0')).said).not.toContainEqual(expect.stringContaining('LICENSE'))
  })

  test('does not restore a removed file, and adds a file that only the new template has', () => {
    const files = filesOf('python')
    delete files['LICENSE']
    const record = JSON.parse(files[RECORD])
    delete record.files['cloister.py']
    delete files['cloister.py']
    files[RECORD] = JSON.stringify(record)
    const { said } = update(files, later('1.2.0'))
    expect(said).toContain('LICENSE: the template has a new text, but the package has no such file')
    expect(said).toContain('cloister.py: new')
    expect(files).not.toHaveProperty('LICENSE')
  })

  test('keeps the form of package.json, ranges of other packages, and ranges that name no version', () => {
    const files = filesOf('ordered')
    const manifest = JSON.parse(files['package.json'])
    manifest.dependencies = {
      ...manifest.dependencies,
      '@cloister/topology': 'file:../topology.tgz',
      cloister: '^9.0.0',
    }
    files['package.json'] = JSON.stringify(manifest, null, '\t')
    const { said } = update(files, later('1.2.0'))
    expect(said).toContain(
      'package.json: @cloister/topology stays at file:../topology.tgz; this version of the contract needs ^1.2.0',
    )
    expect(said).toContain('package.json: cloister stays at ^9.0.0; this version of the contract needs ^1.2.0')
    expect(files['package.json']).toContain('\n\t"name"')
    expect(JSON.parse(files['package.json'])).toMatchObject({
      dependencies: { '@cloister/placement': '^1.2.0' },
      devDependencies: { vitest: manifest.devDependencies.vitest },
    })
  })

  test.each([
    [{ [RECORD]: undefined }, 'this folder has no .cloister-policy.json, which npm create cloister-policy writes'],
    [{ [RECORD]: '{}' }, '.cloister-policy.json: found another text than npm create cloister-policy writes'],
    [{ [RECORD]: '[' }, '.cloister-policy.json: found another text than npm create cloister-policy writes'],
    [{ 'package.json': undefined }, 'this folder has no package.json'],
    [{ 'package.json': 'null' }, 'package.json: expected an object with the fields of a package'],
    [{ 'package.json': '{"name":' }, 'package.json: Unexpected end of JSON input'],
  ])('refuses a folder with the files %o', (changed, message) => {
    const files: { readonly [file: string]: string | undefined } = { ...filesOf('baseline'), ...changed }
    expect(() => updateOf(later('1.2.0'), (file) => files[file])).toThrow(message)
  })

  test('refuses a package of a newer version, and of an unknown template', () => {
    const { files } = filesAndRecord(later('1.10.0'), 'baseline', 'first-fit')
    expect(() => updateOf(later('1.9.0'), (file) => files[file])).toThrow(
      'the package has version 1.10.0 of the template, and this program is version 1.9.0',
    )
    const record = files[RECORD].replace('"baseline"', '"best"')
    expect(() => updateOf(later('1.10.0'), (file) => (file === RECORD ? record : files[file]))).toThrow(
      'found the template "best", expected one of baseline, ordered, router, order, python',
    )
  })
})
