import { describePath, directedLinkName, type DirectedLink, type RoutedPath } from '@cloister/eventlog'
import { nodeName, switchName, type Topology } from '@cloister/topology'
import { type Signal, useSignal } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { JobRoutes, RouteChange, RoutesAnswer, SwitchTable } from '../../run/questions.ts'
import { count, nodesInWords } from '../../words.ts'
import { nodeNamed, placeOfLink, switchNamed } from '../controls/places.ts'
import type { Panel } from '../extensions.ts'
import { useAnswer } from '../state/asking.ts'
import { nodesByName } from '../state/node-names.ts'
import { reveal } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { drawnPath, routeFields, ROUTES, shownPair, shownSwitch } from '../state/shown-routes.ts'
import { selectedJob, sets } from '../state/view-state.ts'
import { Head, JobLink, More, RecordLink } from './panel-shell.tsx'

/** Paths between nodes, routes of the selected job, the table of a switch, and changed tables at the cursor. */
export const routesPanel: Panel = {
  name: ROUTES,
  title: 'Routes',
  key: { key: 'o', does: 'routes: paths of messages, and forwarding tables of switches' },
  command: 'routes: paths and forwarding tables',
  fields: routeFields,
  content: RoutesPanel,
}

function RoutesPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const header = run.overview.value?.header
  if (header === undefined) return <p class="empty">The log is being read…</p>
  if (header.router === undefined)
    return (
      <p class="empty">
        The log has no routes, because the run had no router; <code>cloister simulate --router</code> writes routes into
        a log.
      </p>
    )
  return <Routes run={run} router={header.router.name} />
}

function Routes({ run, router }: { readonly run: RunClient; readonly router: string }): JSX.Element {
  const asked = (): Parameters<typeof run.answerer.ask<'routes'>>[1] | undefined => {
    const seq = run.moment.value?.seq
    const pair = pairOf(run)
    return seq === undefined
      ? undefined
      : { seq, switch: switchOf(run) ?? null, job: selectedJob.value ?? null, pair: pair ?? null }
  }
  const { answer, isOld } = useAnswer<RoutesAnswer>(
    run,
    () => {
      const question = asked()
      return question && JSON.stringify(question)
    },
    (signal) => run.answerer.ask('routes', asked()!, signal),
  )
  const pair = pairOf(run)
  const path = answer?.path ?? undefined
  const isOfPair = path?.from === pair?.from && path?.to === pair?.to
  useEffect(() => {
    drawnPath.value = path === undefined || !isOfPair ? undefined : { run, path }
  }, [run, path, isOfPair])
  useEffect(() => sets(drawnPath, undefined), [])
  if (answer === undefined) return <p class="empty">Reading the forwarding tables…</p>
  return (
    <div class={isOld ? 'old' : ''} data-testid="routes">
      <p class="hint">Forwarding tables at the cursor, by the router {router}.</p>
      <PathOfMessages run={run} path={isOfPair ? answer.path : null} />
      <RoutesOfJob run={run} routes={answer.job} />
      <TableOfSwitch run={run} table={answer.table} />
      <Changes run={run} {...answer} />
    </div>
  )
}

/** Returns the chosen nodes, if the machine has both. */
function pairOf({ topology: { nodes } }: RunClient): { readonly from: number; readonly to: number } | undefined {
  const { from, to } = shownPair.value ?? {}
  return from === undefined || to === undefined || from >= nodes || to >= nodes ? undefined : { from, to }
}

function switchOf({ topology: { levels } }: RunClient): typeof shownSwitch.value {
  const shown = shownSwitch.value
  return shown !== undefined && shown.level < levels.length && shown.sw < levels[shown.level].switches
    ? shown
    : undefined
}

function PathOfMessages({ run, path }: { readonly run: RunClient; readonly path: RoutedPath | null }): JSX.Element {
  const { topology } = run
  const wrong = useSignal<string | undefined>(undefined)
  const pair = shownPair.value
  const nameOf = (node: number | undefined): string =>
    node === undefined || node >= topology.nodes ? '' : nodeName(topology, node)
  const form = useFields({ from: nameOf(pair?.from), to: nameOf(pair?.to) })
  useEffect(sets(wrong, undefined), [pair])
  const submit = (given: FormData): void => {
    const [from, to] = ['from', 'to'].map((name) => textIn(given, name))
    const [source, target] = [from, to].map((name) => nodeNamed(name, topology))
    wrong.value =
      source === undefined ? noNode(topology, from) : target === undefined ? noNode(topology, to) : undefined
    if (source !== undefined && target !== undefined) shownPair.value = { from: source, to: target }
  }
  return (
    <section aria-label="Path of messages">
      <h3>Path of messages</h3>
      <form
        class="goto"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          submit(new FormData(event.currentTarget))
        }}
      >
        <label>
          From <input name="from" autocomplete="off" />
        </label>{' '}
        <label>
          to <input name="to" autocomplete="off" />
        </label>{' '}
        <button type="submit">Show</button>
      </form>
      <p role="status" data-testid="path" class={path === null ? 'hint' : 'path'}>
        {wrong.value ??
          (path !== null
            ? describePath(topology, path)
            : pair === undefined
              ? 'Type two nodes, or click two nodes in the fabric.'
              : pair.to === undefined
                ? 'Click the second node in the fabric, or type its name.'
                : 'Following the messages…')}
      </p>
    </section>
  )
}

/** Returns a reference for a form. Its fields get the values whenever the values change, and keep typed text until then. */
function useFields(values: Readonly<Record<string, string>>): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    for (const [name, value] of Object.entries(values)) {
      const field = form.current?.elements.namedItem(name)
      if (field instanceof HTMLInputElement) field.value = value
    }
  }, Object.values(values))
  return form
}

function textIn(given: FormData, name: string): string {
  const text = given.get(name)
  return typeof text === 'string' ? text : ''
}

function noNode(topology: Topology, name: string): string {
  const [first, last] = [0, topology.nodes - 1].map((node) => nodeName(topology, node))
  return name.trim() === '' ? 'Type the names of two nodes.' : `no node ${name.trim()}: ${first} to ${last}`
}

function RoutesOfJob({ run, routes }: { readonly run: RunClient; readonly routes: JobRoutes | null }): JSX.Element {
  const isOpen = useSignal(false)
  const job = selectedJob.value
  if (job === undefined)
    return (
      <section aria-label="Routes of the selected job">
        <h3>Routes of a job</h3>
        <p class="hint">Select a job to see the links of its messages.</p>
      </section>
    )
  return (
    <section aria-label="Routes of the selected job" data-testid="job-routes">
      <h3>Routes of job {job}</h3>
      {routes === null ? (
        <p class="hint">The job does not run at the cursor, so the job has no routes.</p>
      ) : (
        <>
          <p>{jobInWords(run.topology, routes)}</p>
          {routes.paths.length === 0 ? null : <PathList topology={run.topology} paths={routes.paths} />}
          <LinkTable run={run} routes={routes} isOpen={isOpen} />
        </>
      )}
    </section>
  )
}

function jobInWords(topology: Topology, routes: JobRoutes): string {
  const { nodes, entries, switches, pairs, lost, firstLost } = routes
  const own =
    entries === 0
      ? 'The tables have no entries of this job alone.'
      : `The job has ${count(entries)} ${entries === 1 ? 'entry' : 'entries'} at ${count(switches)} ${switches === 1 ? 'switch' : 'switches'}.`
  if (nodes === 1) return `${own} The job has one node, and sends no messages.`
  return firstLost === null
    ? `${own} All ${count(pairs)} pairs of its ${nodesInWords(nodes)} have a path.`
    : `${own} ${count(lost)} of ${count(pairs)} pairs of its ${nodesInWords(nodes)} have no path: ${describePath(topology, firstLost)}.`
}

function PathList({
  topology,
  paths,
}: {
  readonly topology: Topology
  readonly paths: ReadonlyArray<RoutedPath>
}): JSX.Element {
  return (
    <ul class="links" aria-label="Paths of the job">
      {paths.map((path) => (
        <li key={`${path.from} ${path.to}`}>
          <button
            type="button"
            class="link"
            onClick={() => {
              shownPair.value = { from: path.from, to: path.to }
            }}
          >
            {describePath(topology, path)}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Number of listed links, until the user asks for all links. */
const LISTED = 12

function LinkTable({
  run,
  routes: { links, furtherLinks, nodes },
  isOpen,
}: {
  readonly run: RunClient
  readonly routes: JobRoutes
  readonly isOpen: Signal<boolean>
}): JSX.Element | null {
  if (nodes === 1) return null
  if (links.length === 0) return <p class="hint">All messages stay on one leaf.</p>
  return (
    <>
      <table>
        <caption class="hint">Links of the job, with the number of nodes that messages on the link go to</caption>
        <Head columns={['link', ['nodes']]} />
        <tbody>
          {(isOpen.value ? links : links.slice(0, LISTED)).map((link) => (
            <tr key={`${link.level} ${link.link} ${link.isUp}`}>
              <td>
                <LinkButton run={run} link={link} />
              </td>
              <td class="number">{count(link.destinations)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {links.length <= LISTED ? null : (
        <More isOpen={isOpen} more={`and ${count(links.length - LISTED + furtherLinks)} more links`} />
      )}
      {isOpen.value && furtherLinks > 0 ? <p class="hint">and {count(furtherLinks)} more links</p> : null}
    </>
  )
}

function LinkButton({ run, link }: { readonly run: RunClient; readonly link: DirectedLink }): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      onClick={() => reveal({ kind: 'place', run, place: placeOfLink(run.topology, link.level, link.link) })}
    >
      {directedLinkName(run.topology, link).replace('->', '→')}
    </button>
  )
}

function TableOfSwitch({ run, table }: { readonly run: RunClient; readonly table: SwitchTable | null }): JSX.Element {
  const { topology } = run
  const wrong = useSignal<string | undefined>(undefined)
  const shown = switchOf(run)
  const form = useFields({ switch: shown === undefined ? '' : switchName(topology, shown.level, shown.sw) })
  return (
    <section aria-label="Forwarding table of a switch">
      <h3>Forwarding table of a switch</h3>
      <form
        class="goto"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          const name = textIn(new FormData(event.currentTarget), 'switch')
          const found = switchNamed(name, topology)
          wrong.value = found === undefined && name.trim() !== '' ? noSwitch(topology, name) : undefined
          if (wrong.value === undefined) shownSwitch.value = found
        }}
      >
        <label>
          Switch <input name="switch" autocomplete="off" placeholder={switchName(topology, 0, 0)} />
        </label>{' '}
        <button type="submit">Show</button>
      </form>
      {wrong.value === undefined ? null : <p role="status">{wrong.value}</p>}
      {table === null ? null : <TableRows topology={topology} table={table} />}
    </section>
  )
}

function noSwitch(topology: Topology, name: string): string {
  const top = topology.levels.length - 1
  return `no switch ${name.trim()}: ${switchName(topology, 0, 0)} to ${switchName(topology, top, topology.levels[top].switches - 1)}`
}

function TableRows({ topology, table }: { readonly topology: Topology; readonly table: SwitchTable }): JSX.Element {
  const name = switchName(topology, table.level, table.sw)
  if (table.rows.length === 0) return <p class="hint">The table of {name} is empty.</p>
  const hasJob = selectedJob.value !== undefined
  return (
    <table data-testid="switch-table">
      <caption class="hidden">Forwarding table of {name}</caption>
      <Head
        columns={[['port'], 'leads to', ['nodes'], ...(hasJob ? [['of the job'] as const] : []), 'messages for nodes']}
      />
      <tbody>
        {table.rows.map(({ port, end, destinations, ofJob, nodes }) => (
          <tr key={port} data-selected={ofJob > 0}>
            <td class="number">{port}</td>
            <td>{endInWords(topology, end)}</td>
            <td class="number">{count(destinations)}</td>
            {hasJob ? <td class="number">{count(ofJob)}</td> : null}
            <td class="ids">{cut(nodesByName(topology, nodes))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Cuts a list of nodes to 200 characters: a table of D-mod-k has nodes far apart in each row. */
function cut(nodes: string): string {
  return nodes.length > 200 ? `${nodes.slice(0, nodes.lastIndexOf(',', 200))}, …` : nodes
}

function endInWords(topology: Topology, end: SwitchTable['rows'][number]['end']): string {
  if (end === null) return 'no port'
  return end.link === undefined ? nodeName(topology, end.node) : switchName(topology, end.to.level, end.to.sw)
}

function Changes({
  run,
  changes,
  furtherChanges,
}: { readonly run: RunClient } & Pick<RoutesAnswer, 'changes' | 'furtherChanges'>): JSX.Element {
  return (
    <section aria-label="Changes of the tables">
      <h3>Changes of the tables at this moment</h3>
      {changes.length === 0 ? (
        <p class="hint">No record of this moment changes the forwarding tables.</p>
      ) : (
        <ul class="links" data-testid="route-changes">
          {changes.toReversed().map((change) => (
            <li key={change.seq}>
              <ChangeInWords run={run} change={change} />
            </li>
          ))}
        </ul>
      )}
      {furtherChanges === 0 ? null : <p class="hint">and {count(furtherChanges)} earlier records of this moment</p>}
    </section>
  )
}

function ChangeInWords({
  run,
  change: { seq, job, undo, entries, switches },
}: {
  readonly run: RunClient
  readonly change: RouteChange
}): JSX.Element {
  const words =
    undo === null
      ? `${count(entries)} ${entries === 1 ? 'entry' : 'entries'} at ${count(switches)} ${switches === 1 ? 'switch' : 'switches'}${job === null ? '' : ' for job '}`
      : job === null
        ? `removes the entries of record ${undo}`
        : 'removes the entries of job '
  return (
    <>
      record <RecordLink run={run} seq={seq} />: {words}
      {job === null ? null : <JobLink job={job} />}
    </>
  )
}
