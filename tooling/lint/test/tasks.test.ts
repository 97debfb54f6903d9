// turbo takes a test's result from the cache unless an input in turbo.json has changed, so the inputs must name every
// file that the test reads.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

interface Task {
  readonly taskId: string
  readonly task: string
  readonly directory: string
  readonly command: string
  readonly dependencies: ReadonlyArray<string>
  readonly inputs: Readonly<Record<string, string>>
  readonly resolvedTaskDefinition: { readonly cache: boolean }
}

/** Tasks of `npm test` with inputs, as turbo resolves turbo.json. */
const { tasks, globalCacheInputs } = JSON.parse(
  execFileSync(process.execPath, [join(root, 'node_modules/turbo/bin/turbo'), 'run', 'test', '--dry=json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
) as {
  readonly tasks: ReadonlyArray<Task>
  readonly globalCacheInputs: { readonly files: Readonly<Record<string, string>> }
}
const taskOf = new Map(tasks.map((task) => [task.taskId, task]))
const tests = tasks.filter(({ task, command }) => task === 'test' && command !== '<NONEXISTENT>')

/** Returns the inputs of a task, without inputs of dependencies, as paths from the root of the repository. */
const ownInputs = ({ directory, inputs }: Task): ReadonlyArray<string> =>
  Object.keys(inputs).map((path) => relative(root, resolve(root, directory, path)))

/** Returns the inputs of a task and of all its dependencies; turbo runs the task again if an input changes. */
function allInputs(task: Task): ReadonlySet<string> {
  const files = new Set(Object.keys(globalCacheInputs.files))
  const seen = new Set<string>()
  const visit = (id: string): void => {
    const found = taskOf.get(id)
    if (found === undefined || seen.has(id)) return
    seen.add(id)
    for (const file of ownInputs(found)) files.add(file)
    for (const dependency of found.dependencies) visit(dependency)
  }
  visit(task.taskId)
  return files
}

/** Returns the paths outside of the package that a test file names: after `../`, or below a variable `root`. */
function pathsOutside(file: string, text: string, directory: string): ReadonlyArray<string> {
  const relatives = [...text.matchAll(/['"`]((?:\.\.\/)+[^'"`\n]+)['"`]/g)].map(([, path]) =>
    relative(root, resolve(root, dirname(file), path.replace(/\$\{.*/, ''))),
  )
  const belowRoot = [...text.matchAll(/\broot, '([^']+)'\)/g)].map(([, path]) => path)
  return [...relatives, ...belowRoot].filter(
    (path) => path !== '' && !path.startsWith('..') && path !== directory && !path.startsWith(`${directory}/`),
  )
}

const committed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const filesAt = (path: string): ReadonlyArray<string> =>
  committed.filter((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))
/** Returns true for a package or a folder of packages: from these paths tests compute further names. */
const holdsPackages = (path: string): boolean =>
  tasks.some(({ directory }) => directory === path || directory.startsWith(`${path}/`))

/** Returns the files named by path in a package's tests, but missing from the inputs of the package's task `test`. */
function forgotten(task: Task): ReadonlyArray<string> {
  const inputs = allInputs(task)
  return filesAt(`${task.directory}/test`)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => pathsOutside(file, readFileSync(join(root, file), 'utf8'), task.directory))
    .filter((path) => !holdsPackages(path))
    .flatMap(filesAt)
    .filter((file) => !inputs.has(file))
}

describe('a changed file runs every test that reads the file', () => {
  test('pathsOutside finds the paths outside of its package that a test file names', () => {
    const text = "join(x, '../../viewer/README.md'); join(root, 'docs/a.md'); `../../../traces/${name}`; '../src/a.ts'"
    expect(pathsOutside('apps/cli/test/a.test.ts', text, 'apps/cli')).toEqual([
      'apps/viewer/README.md',
      'traces',
      'docs/a.md',
    ])
  })

  test.each(tests.filter(({ resolvedTaskDefinition }) => resolvedTaskDefinition.cache).map((task) => task.taskId))(
    'the inputs of the task %s contain every file that the tests of the package name',
    (id) => {
      expect(
        [...new Set(forgotten(taskOf.get(id)!))],
        'name these files in the inputs of the task in turbo.json',
      ).toEqual([])
    },
  )

  test('docs/clusters.md is an input of the tests of cloister and of @cloister/docs', () => {
    for (const id of ['cloister#test', '@cloister/docs#test'])
      expect(ownInputs(taskOf.get(id)!)).toContain('docs/clusters.md')
  })
})

describe('a changed test runs only the tests of its package and the tests of the whole repository', () => {
  test.each(['packages/topology/test/idset.test.ts', 'packages/eventlog/test/fold.test.ts'])(
    'a change of the test file %s runs only the tests of its package',
    (file) => {
      expect(committed).toContain(file)
      const rerun = tests.filter((task) => task.resolvedTaskDefinition.cache && allInputs(task).has(file))
      expect(rerun.map(({ directory }) => `${directory}/`)).toEqual([file.replace(/test\/.*/, '')])
    },
  )

  test('no task `build` or `sources` has a test file as input', () => {
    const wrong = tasks
      .filter(({ task }) => task === 'sources' || task === 'build')
      .filter((task) =>
        ownInputs(task).some((file) => file.startsWith(`${task.directory}/test/`) && file.endsWith('.test.ts')),
      )
    expect(wrong.map(({ taskId }) => taskId)).toEqual([])
  })
})
