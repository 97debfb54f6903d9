import type { Router, RouterClaims, SwitchEntries } from '@cloister/placement'
import { routerChecks, runChecks } from '@cloister/placement/checks'
import {
  attempt,
  builtInRouters,
  forbidExit,
  type FoundRouter,
  OptionError,
  routerDescriptions,
  routerTables,
} from '@cloister/run'
import { levelName, type Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { FreshProcess } from '../bench/fresh-process.ts'
import { exitCodes, ExitWith, Problem } from '../errors/errors.ts'
import { checked, describeChecks } from '../policy/check-report.ts'
import { installedCode } from '../policy/installed-packages.ts'
import { installedTable } from '../policy/installed-table.ts'
import { lookUpRouter, routerRule } from '../policy/router-lookup.ts'
import type { Checked, ShownRouter } from '../results/policies.ts'
import { print } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { fields, paragraphs, table } from '../terminal/table.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { checkAtLeast, integerFlag, jsonFlag, onFlag, type Options, textFlag } from './flags.ts'

const routerArgument = Argument.String('router').pipe(
  Argument.withDescription('Router: a built-in name, a package or a file'),
)

const listFlags = { json: jsonFlag }

const list = Command.make('list', listFlags, (options) => listRouters(options)).pipe(
  Command.withDescription('List the built-in and installed routers'),
)

const showFlags = {
  name: routerArgument,
  topology: textFlag('topology', 'SPEC', 'Machine whose first tables are counted, default: radix:18').pipe(
    Flag.withDefault('radix:18'),
  ),
  json: jsonFlag,
}

const show = Command.make('show', showFlags, (options) => showRouter(options)).pipe(
  Command.withDescription('Show the claims of a router, and its tables of a machine without jobs'),
  Command.withExamples([
    {
      command: 'cloister router show d-mod-k --topology cab',
      description: 'Show claims, and count the entries on Cab',
    },
  ]),
)

const testFlags = {
  name: routerArgument,
  seconds: integerFlag(
    'seconds',
    'N',
    'Longest time for one random history in s, default: 10\nThe command stops a router in an endless loop.',
  ).pipe(Flag.withDefault(10)),
  watch: onFlag('watch', 'Test the router again whenever one of its files is saved'),
  json: jsonFlag,
}

const test = Command.make('test', testFlags, (options) => testRouter(options)).pipe(
  Command.withDescription('Check a router against its contract and its claims'),
  Command.withExamples([
    { command: 'cloister router test ./my-router.ts', description: 'Check a router in a file' },
    {
      command: 'cloister router test ./my-router.ts --watch',
      description: 'Check a router in a file after every save',
    },
  ]),
)

export const router = Command.make('router').pipe(
  Command.withDescription('List, show and check routers, which fill forwarding tables'),
  Command.withSubcommands([list, show, test]),
)

const listRouters = Effect.fn(function* ({ json }: Options<typeof listFlags>) {
  const builtin = Array.from(builtInRouters().values(), ({ name, version, claims }) => ({
    name,
    version,
    ...claims,
    description: routerDescriptions[name],
  }))
  const installed = installedCode('router', ['none', ...builtInRouters().keys()])
  yield* print('router list', json, { builtin, installed }, () =>
    paragraphs([
      table(
        ['built in', 'version', 'links', 'a job changes', 'description'],
        builtin.map(({ name, version, links, changes, description }) => [
          name,
          version,
          links,
          changedEntries[changes],
          description,
        ]),
      ),
      installed.length === 0 ? undefined : installedTable(installed),
      routerRule,
    ]),
  )
})

/** Entries that the start or end of a job changes, in words, by the claim `changes`. */
const changedEntries: Readonly<Record<RouterClaims['changes'], string>> = {
  none: 'no entries',
  own: 'entries for its nodes',
  any: 'any entries',
}

const findNamed = Effect.fnUntraced(function* (name: string) {
  const found = yield* lookUpRouter(name)
  return (
    found ??
    (yield* new OptionError({ option: 'router', reason: 'found none, expected the name of a router or a file' }))
  )
})

/** Runs `cloister router show`: prints the claims, and counts the entries of the tables before the first job. */
const showRouter = Effect.fn(function* (options: Options<typeof showFlags>) {
  const topology = yield* findTopology(options.topology)
  const found = yield* findNamed(options.name)
  const { name, version, claims } = found.router
  const tables = yield* attempt(() => tablesOn(found, topology))
  const shown: ShownRouter = {
    router: `${name}@${version}`,
    origin: found.origin,
    claims: { links: claims.links, changes: claims.changes },
    topology: topology.name,
    ...tables,
  }
  yield* print('router show', options.json, shown, () => describeRouter(shown))
})

function tablesOn(
  found: FoundRouter,
  topology: Topology,
): Pick<ShownRouter, 'unsupported' | 'initial' | 'followsFailures'> {
  const tables = routerTables(found, topology)
  if ('unsupported' in tables) return { unsupported: tables.unsupported, initial: null, followsFailures: null }
  const counts = topology.levels.map(({ switches }, level) => ({ level, switches, entries: 0 }))
  for (const { level, ports } of tables.initial?.() ?? []) counts[level].entries += entriesIn(ports)
  return { initial: counts, followsFailures: tables.change !== undefined }
}

function entriesIn(ports: SwitchEntries['ports']): number {
  let entries = 0
  for (let i = 0; i < ports.length; i++) if (ports[i] >= 0) entries++
  return entries
}

function describeRouter({
  router: name,
  origin,
  claims,
  topology,
  unsupported,
  initial,
  followsFailures,
}: ShownRouter): string {
  return paragraphs([
    `${name} (${origin})`,
    fields([
      ['links', claims.links === 'owned' ? 'owned: entries for a job use only links of the job' : 'shared: any links'],
      ['a job changes', changedEntries[claims.changes]],
      ['failures', followsFailures === null ? undefined : followsFailures ? 'change the tables' : 'change no entries'],
    ]),
    initial === null
      ? `The router does not serve ${topology}: ${unsupported}`
      : `Tables of ${topology} without jobs:\n${table(
          ['level', 'switches', 'entries'],
          initial.map(({ level, switches, entries }) => [levelName(level), count(switches), count(entries)]),
        )}`,
  ])
}

type TestOptions = Options<typeof testFlags>

const testRouter = Effect.fn(function* (options: TestOptions) {
  const { name, seconds, json } = options
  yield* checkAtLeast('seconds', seconds, 1)
  if (options.watch) return yield* testAtEachChange(options)
  const { router: tested, origin } = yield* findNamed(name)
  const results = yield* resultsOf(tested, seconds)
  const title = `${tested.name}@${tested.version}`
  const result = { router: title, origin, ok: results.every(({ ok }) => ok), checks: results }
  yield* print('router test', json, result, () =>
    describeChecks(`${title} (${origin})`, results, 'The router keeps the contract and its claims.'),
  )
  if (!result.ok) return yield* new ExitWith(exitCodes.no)
})

const resultsOf = Effect.fnUntraced(function* (tested: Router, seconds: number) {
  const progress = yield* makeProgress
  const checks = routerChecks(tested, {
    seconds,
    onProgress: ({ machine, done, total }) =>
      progress.show(`checking ${tested.name} on ${machine}:`, done / total, done, 'histories'),
  })
  const results: Array<Checked> = []
  const allowExit = forbidExit()
  try {
    for (const result of runChecks(checks)) results.push(checked(result))
  } finally {
    allowExit()
  }
  progress.clear()
  return results
})

/** Each test is a new process, because a process loads a module only once. */
const testAtEachChange = Effect.fnUntraced(function* ({ name, seconds, json }: TestOptions) {
  if (name === 'none' || builtInRouters().has(name))
    return yield* new Problem(`--watch: ${name} is a built-in router, and has no file to watch`)
  const again = ['router', 'test', name, '--seconds', String(seconds), ...(json ? ['--json'] : [])]
  return yield* new ExitWith(yield* (yield* FreshProcess).watch(again))
})
