// Tests of the files that describe the repository to visitors: citation, issue forms, settings of editors, and the
// commands in AGENTS.md and CONTRIBUTING.md.
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAllowed } from '@cloister/build/third-party'
import { commandDefects, manifests, read, readJson, readYaml, root, scripts } from './known-commands.ts'

describe('files that describe the software', () => {
  const { version, license, description } = manifests.get('cloister')
  const citation = readYaml('CITATION.cff')
  const codemeta = readJson('codemeta.json')
  const zenodo = readJson('.zenodo.json')

  test('CITATION.cff has the fields that version 1.2.0 of the format requires', () => {
    expect(citation).toMatchObject({ 'cff-version': '1.2.0', type: 'software', message: expect.any(String) })
    const known = ['cff-version', 'message', 'type', 'title', 'abstract', 'authors', 'version', 'license', 'keywords']
    expect(Object.keys(citation)).toEqual(known)
  })

  test('CITATION.cff, codemeta.json and .zenodo.json have the name, version and licence of the package cloister', () => {
    expect(citation).toMatchObject({ title: 'Cloister', version, license })
    expect(codemeta).toMatchObject({ name: 'Cloister', version, license: `https://spdx.org/licenses/${license}` })
    expect(zenodo).toMatchObject({ title: 'Cloister', version, license, upload_type: 'software' })
  })

  test('CITATION.cff, codemeta.json and .zenodo.json name the same authors and keywords', () => {
    const names = (people: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<string> =>
      people.map(({ name }) => name)
    expect(names(citation.authors).length).toBeGreaterThan(0)
    expect(names(codemeta.author)).toEqual(names(citation.authors))
    expect(names(zenodo.creators)).toEqual(names(citation.authors))
    expect(codemeta.keywords).toEqual(citation.keywords)
    expect(zenodo.keywords).toEqual(citation.keywords)
  })

  test('codemeta.json and .zenodo.json have the description and the Node.js of the package cloister', () => {
    expect(codemeta.description).toBe(description)
    expect(zenodo.description).toBe(description)
    expect(codemeta.softwareRequirements).toBe(`Node.js ${manifests.get('cloister').engines.node}`)
  })
})

describe.each(globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }))('%s', (path) => {
  const form = readYaml(path)

  test('the form has a name, a description, and elements with labels and different ids', () => {
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) })
    const fields = form.body.filter(({ type }: any) => type !== 'markdown')
    for (const field of fields)
      expect(field).toMatchObject({
        type: expect.stringMatching(/^(input|textarea|dropdown|checkboxes)$/),
        id: expect.stringMatching(/^[\w-]+$/),
        attributes: { label: expect.any(String) },
      })
    expect(new Set(fields.map(({ id }: any) => id)).size).toBe(fields.length)
  })
})

describe('commands in documents', () => {
  test('commandDefects finds unknown scripts, packages and commands', () => {
    expect(
      [
        'npm run build',
        'npm install',
        'npm run cloister -- simulat --trace x',
        'npm run pnpm -- --filter @cloister/topologie test',
        'npm run pnpm -- --filter @cloister/topology tests',
        'npm run pnpm -- --filter @cloister/topologie --filter @cloister/topology test',
        'npm run pnpm -- run lints',
        './.ci/walk',
      ].map((command) => commandDefects(command).length),
    ).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
    expect(commandDefects('CI=1 npm run pnpm -- --filter @cloister/topology test idset')).toEqual([])
    expect(commandDefects('npm run pnpm -- --filter @cloister/kernel --filter @cloister/audit test')).toEqual([])
  })

  test.each(['AGENTS.md', 'CONTRIBUTING.md', 'README.md', '.github/PULL_REQUEST_TEMPLATE.md'])(
    'every npm command in %s exists',
    (path) => {
      const text = read(path)
      const inline = [...text.matchAll(/`((?:[A-Z_]+=\S+ )*npm (?:run|start|test)[^`\n]*)`/g)].map(([, code]) => code)
      const inBlocks = [...text.matchAll(/^(?:\$ )?((?:[A-Z_]+=\S+ )*npm (?:run|start|test).*)$/gm)].map(
        ([, line]) => line,
      )
      // The README makes the policy first-fit before the commands with this policy.
      const commands = [...inline, ...inBlocks].map((each) => each.replace('policy-first-fit', 'policy-baseline'))
      expect(commands.length).toBeGreaterThan(0)
      expect(commands.flatMap(commandDefects)).toEqual([])
    },
  )
})

describe('licences of bundled packages', () => {
  test.each([
    ['MIT', true],
    ['(MIT OR GPL-2.0-only)', true],
    ['Apache-2.0 AND ISC', true],
    ['GPL-3.0-only', false],
    ['MIT AND LGPL-2.1-only', false],
    ['SEE LICENSE IN LICENSE.md', false],
  ])('a bundle may contain a package under %s: %s', (licence, may) => expect(isAllowed(licence)).toBe(may))
})

describe('settings of editors', () => {
  test('.editorconfig agrees with the settings of oxfmt and with its defaults', () => {
    const { printWidth, useTabs = false, tabWidth = 2, endOfLine = 'lf' } = readJson('.oxfmtrc.json')
    const text = read('.editorconfig')
    const value = (key: string): string | undefined => new RegExp(`^${key} = (.+)$`, 'm').exec(text)?.[1]
    expect(value('max_line_length')).toBe(String(printWidth))
    expect(value('indent_style')).toBe(useTabs ? 'tab' : 'space')
    expect(value('indent_size')).toBe(String(tabWidth))
    expect(value('end_of_line')).toBe(endOfLine)
  })

  test('.vscode formats code with the recommended extension, and runs vitest with the configuration of the repository', () => {
    const { recommendations } = readJson('.vscode/extensions.json')
    const settings = readJson('.vscode/settings.json')
    for (const language of ['typescript', 'typescriptreact', 'javascript'])
      expect(recommendations).toContain(settings[`[${language}]`]['editor.defaultFormatter'])
    const [{ runtimeArgs }] = readJson('.vscode/launch.json').configurations
    const [, config] = /^\$\{workspaceFolder\}\/(.+)$/.exec(runtimeArgs[runtimeArgs.indexOf('--config') + 1])!
    expect(existsSync(join(root, config))).toBe(true)
    expect(scripts[runtimeArgs[runtimeArgs.indexOf('run') + 1]]).toBeDefined()
  })
})

test('README.md has at most 1,200 words, so that a stranger reads the whole page', () => {
  expect(read('README.md').match(/\S+/g)!.length).toBeLessThanOrEqual(1200)
})
