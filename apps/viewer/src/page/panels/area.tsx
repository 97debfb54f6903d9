import type { JSX } from 'preact'
import type { AreaAnswer, AreaGroup } from '../../run/area.ts'
import { count, nodeHours, nodesInWords, percent } from '../../words.ts'
import { useAnswer } from '../state/asking.ts'
import { useColors } from '../drawing/colors.ts'
import type { Panel } from '../extensions.ts'
import { field, roundTime } from '../state/address.ts'
import type { RunClient } from '../state/run-client.ts'
import { shownUses, timeText, visible } from '../state/session.ts'
import { area, rows, sets } from '../state/view-state.ts'
import { JobLink } from './panel-shell.tsx'
import { WorstStretches } from './worst-stretches.tsx'

/** Fields of `AreaAnswer.causes` in the order of `shownUses`. */
const causes = ['busy', 'beyond', 'down', 'noJob', 'tooFewNodes', 'fragmented'] as const

/** Uses of an area's node-time by cause, size, user and job. The area is the selected or else the visible area. */
export const areaPanel: Panel = {
  name: 'area',
  title: 'Area',
  key: { key: 'e', does: 'uses of the node-time in the visible area or in the selected area' },
  command: 'area: where node-time went',
  fields: [field('area', area, textOf, areaOf)],
  content: AreaPanel,
}

function AreaPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const chosen = (): {
    readonly from: number
    readonly to: number
    readonly firstNode: number
    readonly endNode: number
  } => {
    const { nodes } = run.topology
    const times = area.value?.times ?? visible.value
    const shown = area.value?.nodes ?? rows.value ?? { from: 0, to: nodes }
    return {
      ...times,
      firstNode: Math.max(0, Math.min(nodes - 1, Math.floor(shown.from))),
      endNode: Math.max(1, Math.min(nodes, Math.ceil(shown.to))),
    }
  }
  const { answer, isOld } = useAnswer(
    run,
    () => (run.version.value === 0 ? undefined : `${run.version.value} ${JSON.stringify(chosen())}`),
    (signal) => run.answerer.ask('area', chosen(), signal),
  )
  // The machine is unknown until the log's header is read.
  if (run.overview.value === undefined) return <p class="empty">Opening the log…</p>
  const { from, to, firstNode, endNode } = chosen()
  const { nodeNames } = run.topology
  return (
    <div class={isOld ? 'old' : ''} data-testid="area">
      <p class="summary">
        {nodesInWords(endNode - firstNode)}, from {nodeNames?.[firstNode] ?? `node ${firstNode}`} on, from{' '}
        <b>{timeText(from)}</b> to <b>{timeText(to)}</b>
        {answer === undefined ? '' : `: ${nodeHours(answer.total)} node-hours.`}
      </p>
      {area.value === undefined ? (
        <p class="hint">The area is the visible area. To select a smaller area, hold alt and drag across the jobs.</p>
      ) : (
        <p>
          <button type="button" onClick={sets(area, undefined)}>
            take the visible area
          </button>
        </p>
      )}
      <WorstStretches run={run} />
      {answer === undefined ? <p class="empty">Adding up…</p> : <AreaTables answer={answer} />}
    </div>
  )
}

function AreaTables({ answer }: { readonly answer: AreaAnswer }): JSX.Element {
  const share = (held: number): string => (answer.total === 0 ? '–' : percent(held / answer.total))
  return (
    <>
      <h3>By use</h3>
      <table>
        <tbody>
          {causes.map((cause, at) => (
            <tr key={cause}>
              <td title={shownUses.value[at].about}>
                <i class="swatch" style={{ background: `var(${useColors[at]})` }} /> {shownUses.value[at].name}
              </td>
              <td class="number">{nodeHours(answer.causes[cause])} h</td>
              <td class="number">{share(answer.causes[cause])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Groups title="By size of the jobs" groups={answer.bySize} share={share} />
      <Groups title="By user" groups={answer.byUser} share={share} none="This log names no users." />
      <Groups title="By queue" groups={answer.byQueue} share={share} none="This log names no queues." />
      <h3>By job</h3>
      <table>
        <tbody>
          {answer.jobs.map(({ job, size, held }) => (
            <tr key={job}>
              <td>
                <JobLink job={job} />
              </td>
              <td class="number">{nodesInWords(size)}</td>
              <td class="number">{nodeHours(held)} h</td>
              <td class="number">{share(held)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {answer.allJobs > answer.jobs.length ? (
        <p class="hint">and {count(answer.allJobs - answer.jobs.length)} more jobs, each with fewer node-hours</p>
      ) : null}
    </>
  )
}

function Groups({
  title,
  groups,
  share,
  none,
}: {
  readonly title: string
  readonly groups: ReadonlyArray<AreaGroup>
  readonly share: (held: number) => string
  /** Text if no job of the area has a name of a group. */
  readonly none?: string
}): JSX.Element {
  if (none !== undefined && groups.every(({ name }) => name === ''))
    return (
      <>
        <h3>{title}</h3>
        <p class="empty">{none}</p>
      </>
    )
  return (
    <>
      <h3>{title}</h3>
      <table>
        <tbody>
          {groups.map(({ name, jobs, held }) => (
            <tr key={name}>
              <td>{name === '' ? 'not known' : name}</td>
              <td class="number">{jobs === 1 ? '1 job' : `${count(jobs)} jobs`}</td>
              <td class="number">{nodeHours(held)} h</td>
              <td class="number">{share(held)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function textOf(chosen: typeof area.value): string | undefined {
  if (chosen === undefined) return undefined
  const { times, nodes } = chosen
  return [roundTime(times.from), roundTime(times.to), Math.floor(nodes.from), Math.ceil(nodes.to)].join()
}

function areaOf(text: string | null): typeof area.value {
  const [from, to, first, end, ...more] = (text ?? '').split(',').map(Number)
  const isArea = from >= 0 && to > from && first >= 0 && end > first && [to, end].every(Number.isFinite)
  return isArea && more.length === 0 ? { times: { from, to }, nodes: { from: first, to: end } } : undefined
}
