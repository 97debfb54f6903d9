import {
  entriesOf,
  LoggedTables,
  type LogRecord,
  type LogState,
  type Route,
  type RoutedPath,
  RoutedPaths,
} from '@cloister/eventlog'
import { formatIdset } from '@cloister/topology'
import type { JobRoutes, RouteChange, RoutesAnswer, RoutesQuestion, SwitchTable } from './questions.ts'

/** Greatest number of links of a job in an answer, and of nodes of a job whose pairs all stand in an answer. */
const [MOST_LINKS, PAIRED] = [200, 4]
/** Greatest number of route records in an answer. */
const MOST_CHANGES = 20

/** Answers questions about forwarding tables and paths at a moment of a log with a router. */
export class RoutesAnswers {
  #known: { readonly seq: number; readonly tables: LoggedTables; readonly paths: RoutedPaths } | undefined

  /**
   * Answers the question `routes`. Numbers outside of the machine count as the nearest numbers.
   *
   * @param state state at the moment
   * @param instant records of the moment's instant up to the moment, or the last of these records
   */
  answer(state: LogState, instant: Iterable<LogRecord>, { switch: shown, job, pair }: RoutesQuestion): RoutesAnswer {
    if (state.header.router === undefined) return { changes: [], furtherChanges: 0, table: null, job: null, path: null }
    const { levels, nodes } = state.topology
    const { tables, paths } = this.#at(state)
    const routes = Array.from(instant).filter((record) => record.type === 'route')
    const level = shown === null ? 0 : within(shown.level, levels.length - 1)
    return {
      changes: routes.slice(-MOST_CHANGES).map((route) => changeOf(route)),
      furtherChanges: Math.max(0, routes.length - MOST_CHANGES),
      table:
        shown === null ? null : tableOf(state, tables, paths, level, within(shown.sw, levels[level].switches - 1), job),
      job: job === null ? null : routesOfJob(state, paths, job),
      path: pair === null ? null : paths.between(within(pair.from, nodes - 1), within(pair.to, nodes - 1)),
    }
  }

  #at({ seq, topology, routes }: LogState): { readonly tables: LoggedTables; readonly paths: RoutedPaths } {
    if (this.#known?.seq === seq) return this.#known
    const tables = new LoggedTables(topology, routes.values())
    this.#known = { seq, tables, paths: new RoutedPaths(topology, tables) }
    return this.#known
  }
}

function within(number: number, last: number): number {
  return Math.max(0, Math.min(last, Math.trunc(number)))
}

function changeOf(route: Route): RouteChange {
  const groups = entriesOf(route)
  return {
    seq: route.seq,
    job: route.job ?? null,
    undo: route.undo ?? null,
    switches: new Set(groups.flatMap(({ switches }) => Array.from(switches))).size,
    entries: groups.reduce(
      (sum, { switches, ranges }) =>
        sum + switches.length * ranges.reduce((nodes, { first, last }) => nodes + last - first + 1, 0),
      0,
    ),
  }
}

function tableOf(
  state: LogState,
  tables: LoggedTables,
  paths: RoutedPaths,
  level: number,
  sw: number,
  job: string | null,
): SwitchTable {
  const own = new Set(job === null ? [] : Array.from(state.running.get(job)?.nodes ?? []))
  const nodesOfPort = new Map<number, Array<number>>()
  for (const [node, port] of tables.row(level, sw).entries()) {
    if (port < 0) continue
    const nodes = nodesOfPort.get(port)
    if (nodes === undefined) nodesOfPort.set(port, [node])
    else nodes.push(node)
  }
  const rows = Array.from(nodesOfPort, ([port, nodes]) => ({
    port,
    end: paths.endOf({ level, sw }, port) ?? null,
    destinations: nodes.length,
    ofJob: nodes.filter((node) => own.has(node)).length,
    nodes: formatIdset(nodes),
  }))
  return { level, sw, rows: rows.sort((a, b) => a.port - b.port) }
}

function routesOfJob({ running, routes, topology }: LogState, paths: RoutedPaths, job: string): JobRoutes | null {
  const nodes = running.get(job)?.nodes
  if (nodes === undefined) return null
  const { links, pairs, lost, firstLost } = paths.ofJob(nodes)
  const own = new LoggedTables(
    topology,
    [...routes.values()].filter((route) => route.job === job),
  )
  return {
    nodes: nodes.length,
    ...own.size(),
    pairs,
    lost,
    firstLost,
    links: links.slice(0, MOST_LINKS),
    furtherLinks: Math.max(0, links.length - MOST_LINKS),
    paths: nodes.length > PAIRED ? [] : pathsOf(paths, nodes),
  }
}

function pathsOf(paths: RoutedPaths, nodes: ArrayLike<number>): ReadonlyArray<RoutedPath> {
  const all = Array.from(nodes)
  return all.flatMap((from) => all.flatMap((to) => (from === to ? [] : [paths.between(from, to)])))
}
