// Tests of the files that describe the repository to visitors: citation, issue forms, workflows, settings of editors,
// and the commands in AGENTS.md and CONTRIBUTING.md.
import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isAllowed } from '@cloister/build/third-party'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const readJson = (path: string): any => JSON.parse(read(path))
const readYaml = (path: string): any => parse(read(path))
const { scripts } = readJson('package.json')

/** Returns the package.json of each package, by name. */
const manifests = new Map<string, any>(
  globSync('{packages,packages/policies,apps,tooling}/*/package.json', { cwd: root }).map((path) => {
    const manifest = readJson(path)
    return [manifest.name, manifest]
  }),
)

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

describe.each(globSync('.github/workflows/*.yml', { cwd: root }))('%s', (path) => {
  const workflow = readYaml(path)
  const jobs: ReadonlyArray<any> = Object.values(workflow.jobs)
  const steps: ReadonlyArray<any> = jobs.flatMap((job) => job.steps)

  test('the workflow can only read the repository, and each job has a time limit and a fixed machine', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    for (const job of jobs)
      expect(job).toMatchObject({
        'runs-on': expect.stringMatching(/^ubuntu-\d+\.\d+$/),
        'timeout-minutes': expect.any(Number),
      })
  })

  test('actions are of the organisation `actions`, each at a commit with the name of the version', () => {
    const uses = [...read(path).matchAll(/uses: (.+)/g)].map(([, action]) => action)
    expect(uses.length).toBe(steps.filter((step) => step.uses !== undefined).length)
    for (const action of uses) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('the steps run programs of the repository that exist, under the Node.js of tooling/launch', () => {
    const [, node] = /node: '([\d.]+)'/.exec(read('tooling/launch/launch.mjs'))!
    for (const step of steps)
      if (step.uses?.startsWith('actions/setup-node@')) expect(step.with['node-version']).toBe(node)
    const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run as string]))
    expect(commands.flatMap(commandDefects)).toEqual([])
    expect(commands.some((command) => /^(\.ci\/run|npm run) ?/.test(command))).toBe(true)
    const paths = steps.flatMap((step) => step.with?.path ?? [])
    expect(paths.filter((folder) => !existsSync(join(root, folder.split('/dist')[0])))).toEqual([])
  })
})

/** Returns faults of a command: a missing program, npm script, package, script of a package, or command of cloister. */
function commandDefects(command: string): ReadonlyArray<string> {
  const defect = (text: string): ReadonlyArray<string> => [`${command}: ${text}`]
  const [program, ...words] = command.replace(/^([A-Z_]+=\S+ )+/, '').split(/\s+/)
  if (program.startsWith('.')) return isProgram(program) ? [] : defect(`${program} is no program`)
  if (program !== 'npm') return []
  if (words[0] !== 'run') return ['start', 'test'].includes(words[0]) ? [] : defect(`npm has no ${words[0]} here`)
  const [script, ...rest] = words.slice(1).filter((word) => word !== '--silent')
  if (scripts[script] === undefined) return defect(`package.json has no script ${script}`)
  const given = rest[0] === '--' ? rest.slice(1) : []
  if (script === 'cloister') return cloisterDefect(given).flatMap(defect)
  if (script === 'pnpm') return pnpmDefect(given).flatMap(defect)
  return []
}

function isProgram(path: string): boolean {
  try {
    accessSync(join(root, path), constants.X_OK)
    return true
  } catch {
    return false
  }
}

function cloisterDefect([name]: ReadonlyArray<string>): ReadonlyArray<string> {
  if ([undefined, '…', 'COMMAND'].includes(name)) return []
  return existsSync(join(root, `apps/cli/src/commands/${name}.ts`)) ? [] : [`cloister has no command ${name}`]
}

function pnpmDefect(words: ReadonlyArray<string>): ReadonlyArray<string> {
  if ([undefined, '…'].includes(words[0])) return []
  const [, filtered] = words[0] === '--filter' ? words : []
  const own = filtered === undefined ? { scripts } : manifests.get(filtered)
  const [verb, script] = filtered === undefined ? words : words.slice(2)
  if (own === undefined) return [`no package has the name ${filtered}`]
  if (verb === 'exec' || verb === 'install') return []
  const asked = verb === 'run' ? script : verb
  return own.scripts?.[asked] === undefined ? [`${filtered ?? 'package.json'} has no script ${asked}`] : []
}

describe('commands in documents', () => {
  test('commandDefects finds unknown scripts, packages and commands', () => {
    expect(
      [
        'npm run build',
        'npm install',
        'npm run cloister -- simulat --trace x',
        'npm run pnpm -- --filter @cloister/topologie test',
        'npm run pnpm -- --filter @cloister/topology tests',
        'npm run pnpm -- run lints',
        './.ci/walk',
      ].map((command) => commandDefects(command).length),
    ).toEqual([1, 1, 1, 1, 1, 1, 1])
    expect(commandDefects('CI=1 npm run pnpm -- --filter @cloister/topology test idset')).toEqual([])
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
