// Tests of the workflows of CI, and of the settings of Renovate.
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandDefects, manifests, read, readJson, readYaml, root } from './known-commands.ts'

const paths = globSync('.github/workflows/*.yml', { cwd: root }).sort()
const workflows: ReadonlyArray<readonly [path: string, workflow: any]> = paths.map((path) => [path, readYaml(path)])
const allJobs: ReadonlyArray<readonly [name: string, job: any]> = workflows.flatMap(([path, { jobs }]) =>
  Object.entries(jobs).map(
    ([name, job]) => [`${path.slice('.github/workflows/'.length, -'.yml'.length)}/${name}`, job] as const,
  ),
)
const jobNamed = (name: string): any => new Map(allJobs).get(name)
const commandsOf = (job: any): ReadonlyArray<string> =>
  job.steps.flatMap(({ run = '' }: any) => run.split('\n').filter((line: string) => line !== ''))
/** Node.js of tooling/launch. */
const [, pinnedNode] = /node: '([\d.]+)'/.exec(read('tooling/launch/launch.mjs'))!

describe.each(workflows)('%s', (path, workflow) => {
  const jobs: ReadonlyArray<any> = Object.values(workflow.jobs)
  const steps: ReadonlyArray<any> = jobs.flatMap((job) => job.steps)

  test('each job has a time limit, and a machine with a fixed version', () => {
    for (const job of jobs) {
      const machines = job['runs-on'] === '${{ matrix.os }}' ? job.strategy.matrix.os : [job['runs-on']]
      for (const machine of machines) expect(machine).toMatch(/^(ubuntu-\d+\.\d+|macos-\d+)$/)
      expect(job['timeout-minutes']).toEqual(expect.any(Number))
    }
  })

  test('actions are of the organisation `actions`, each at a commit with the name of the version', () => {
    const uses = [...read(path).matchAll(/uses: (.+)/g)].map(([, action]) => action)
    expect(uses.length).toBe(steps.filter((step) => step.uses !== undefined).length)
    for (const action of uses) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('a checkout leaves no token in the folder', () => {
    for (const step of steps)
      if (step.uses?.startsWith('actions/checkout@')) expect(step.with['persist-credentials']).toBe(false)
  })

  test('the steps run programs of the repository that exist', () => {
    const commands = jobs.flatMap(commandsOf)
    expect(commands.flatMap(commandDefects)).toEqual([])
    expect(commands.some((command) => /^(\.ci\/run|npm (run|test))/.test(command))).toBe(true)
    const built = /^[^/]+$|\/dist\//
    const folders = steps.flatMap((step) => step.with?.path ?? [])
    expect(folders.filter((folder) => !built.test(folder) && !existsSync(join(root, folder)))).toEqual([])
  })
})

test('all workflows pin an action at the same commit', () => {
  const pins = new Set(paths.flatMap((path) => read(path).match(/actions\/[\w-]+@[0-9a-f]{40}/g) ?? []))
  const names = [...pins].map((pin) => pin.split('@')[0])
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

describe('permissions', () => {
  test('jobs can only read the repository, except jobs that propose versions, publish, announce or deploy', () => {
    for (const [, { permissions }] of workflows) expect(permissions).toEqual({ contents: 'read' })
    const more = allJobs.flatMap(([name, { permissions }]) => (permissions === undefined ? [] : [[name, permissions]]))
    expect(Object.fromEntries(more)).toEqual({
      'release/versions': { contents: 'write', 'pull-requests': 'write' },
      'release/publish': { contents: 'read', 'id-token': 'write' },
      'release/announce': { contents: 'write' },
      'site/deploy': { pages: 'write', 'id-token': 'write' },
    })
  })

  test('pull requests start no job that can write', () => {
    const onPullRequests = workflows.filter(([, { on }]) => Object.hasOwn(on, 'pull_request'))
    const canWrite = onPullRequests.flatMap(([, { jobs }]) =>
      Object.values<any>(jobs).filter(({ permissions }) => permissions !== undefined),
    )
    for (const job of canWrite) expect(job.if).toBe("github.event_name == 'push'")
  })

  test('a job that can sign or write runs no code of a dependency while it knows a token', () => {
    for (const [, job] of allJobs.filter(([, { permissions }]) => permissions !== undefined))
      for (const step of job.steps.filter(
        ({ env, run }: any) => run !== undefined && (env !== undefined || job.permissions['id-token']),
      ))
        expect(step.run).not.toMatch(/\b(npm (run|test|ci|install|exec)|npx|pnpm)\b/)
  })
})

describe('versions of Node', () => {
  const { node: needed } = manifests.get('cloister').engines
  const [, oldest] = /^>=(\d+\.\d+)$/.exec(needed)!
  const { os, node } = jobNamed('test/test').strategy.matrix

  test('the tests run under the oldest, the pinned and the next major version, on Linux and macOS', () => {
    const pinned = Number.parseInt(pinnedNode, 10)
    expect(node).toEqual([Number.parseInt(oldest, 10), pinned, pinned + 2])
    expect(os.map((name: string) => name.split('-')[0])).toEqual(['ubuntu', 'macos'])
    expect(jobNamed('test/test').env).toEqual({ CLOISTER_NODE: '${{ matrix.node }}' })
  })

  test('a job runs the built program under the oldest version that the package cloister allows', () => {
    const nodes = jobNamed('test/oldest-node').steps.flatMap((step: any) => step.with?.['node-version'] ?? [])
    expect(nodes).toEqual([pinnedNode, `${oldest}.0`])
  })

  test('all other jobs run under the Node.js of tooling/launch', () => {
    for (const [name, { steps }] of allJobs)
      for (const { uses, with: inputs } of steps)
        if (uses?.startsWith('actions/setup-node@') && !/^test\/(test|oldest-node)$/.test(name))
          expect([name, inputs['node-version']]).toEqual([name, pinnedNode])
  })
})

describe('renovate.json', () => {
  const { packageRules } = readJson('renovate.json')
  const catalog: ReadonlyArray<string> = Object.keys(readYaml('pnpm-workspace.yaml').catalog)
  /** Returns the packages of the catalog that a pattern of Renovate (a name, or a name with `*` at its end) matches. */
  const matched = (pattern: string): ReadonlyArray<string> =>
    catalog.filter((name) => (pattern.endsWith('**') ? name.startsWith(pattern.slice(0, -2)) : name === pattern))

  test('each group matches packages of the catalog, and no package is in two groups', () => {
    const groups = packageRules.filter((rule: any) => rule.groupName !== undefined && rule.matchManagers === undefined)
    expect(groups.map(({ groupName }: any) => groupName)).toEqual(['effect', 'vitest', 'oxc', 'changesets'])
    const patterns: ReadonlyArray<string> = groups.flatMap(({ matchPackageNames }: any) => matchPackageNames)
    expect(patterns.filter((pattern) => matched(pattern).length === 0)).toEqual([])
    const packages = patterns.flatMap(matched)
    expect(packages.length).toBe(new Set(packages).size)
  })
})
