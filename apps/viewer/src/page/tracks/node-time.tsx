import { nodeTimeFigure, type NodeTimeUse } from '@cloister/figures'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { figuresOf } from '../../run/moment.ts'
import type { TimelineMeansAnswer } from '../../run/questions.ts'
import { percent } from '../../words.ts'
import { css, themeColor, useColors } from '../drawing/colors.ts'
import type { TimeScale, Track } from '../extensions.ts'
import { listMostSpread } from '../panels/job-table.tsx'
import { nodeTimeMeans } from '../state/asking.ts'
import { goToWorst } from '../state/reveal.ts'
import { activeRun, shownUses } from '../state/session.ts'
import { sets, tab } from '../state/view-state.ts'
import { fragmentation } from './fragmentation.tsx'

/** Size of a saved picture of this track, in pixels. */
const PICTURE = { width: 960, height: 320 }

/** Number of the machine's nodes, and the means of the figures at points of the visible times. */
interface Uses {
  readonly nodes: number
  readonly means: TimelineMeansAnswer
}

/** Track of node-time by use: the shares of a pixel add up to 100 %. The legend shows the shares at the cursor. */
export const nodeTime: Track<Uses> = {
  name: 'Node-time by use',
  height: 56,
  isFixed: true,
  style: 'node-time',
  useData: useUses,
  draw: drawUses,
  legend: Legend,
  saved: {
    title: 'node-time by use',
    file: 'node-time',
    figureOf: (uses) => ({ figure: nodeTimeFigure([{ name: '', ...uses }], {}, shownUses.value), extent: PICTURE }),
  },
  below: fragmentation,
}

function useUses(): Uses | undefined {
  const run = activeRun.value
  const means = run === undefined ? undefined : nodeTimeMeans.value.get(run)
  return useMemo(() => means && { nodes: run!.topology.nodes, means }, [means])
}

function Legend(): JSX.Element {
  return (
    <>
      {shownUses.value.map(({ name, about, of }, at) => (
        <span key={name} title={about}>
          <i style={{ background: `var(${useColors[at]})` }} />
          {name} <Share of={of} />
        </span>
      ))}
      <button
        type="button"
        onClick={() => void goToWorst()}
        title={`Go to the visible time with most nodes ${shownUses.value.at(-1)!.name} (m)`}
      >
        worst moment
      </button>
      <button
        type="button"
        onClick={sets(tab, 'area')}
        title={`List the visible times with most node-time ${shownUses.value.at(-1)!.name} (e)`}
      >
        worst stretches
      </button>
      <button
        type="button"
        onClick={listMostSpread}
        title="List the jobs whose nodes are furthest apart, compared with the most compact placement on the empty machine"
      >
        most spread jobs
      </button>
    </>
  )
}

function Share({ of }: { readonly of: NodeTimeUse['of'] }): JSX.Element {
  const run = activeRun.value
  const moment = run?.moment.value
  if (run === undefined || moment === undefined) return <b>–</b>
  return <b>{percent(of(figuresOf(moment, run.topology), run.topology) / run.topology.nodes)}</b>
}

function drawUses(
  context: CanvasRenderingContext2D,
  { x, left, width, height }: TimeScale,
  { nodes, means }: Uses,
): void {
  const points = means.t.length
  const length = points < 2 ? 1 : means.t[1] - means.t[0]
  const edge = (at: number): number => Math.round(x(means.t[0] - length / 2 + at * length))
  const colors = useColors.map((color) => css(themeColor(color)))
  context.save()
  context.beginPath()
  context.rect(left, 0, width - left, height)
  context.clip()
  for (let at = 0; at < points; at++) {
    if (Number.isNaN(means.busy[at])) continue
    const figures = Object.fromEntries(Object.entries(means).map(([name, values]) => [name, values[at]]))
    // Columns begin and end at whole pixels, because fractions would show as stripes between neighbours.
    const [begin, end] = [edge(at), edge(at + 1)]
    let bottom = height
    for (const [cause, { of }] of shownUses.value.entries()) {
      const share = (of(figures as Parameters<typeof of>[0], { nodes }) / nodes) * height
      context.fillStyle = colors[cause]
      context.fillRect(begin, bottom - share, end - begin, share)
      bottom -= share
    }
  }
  context.restore()
  context.fillStyle = css(themeColor('--muted'))
  context.textAlign = 'right'
  context.textBaseline = 'top'
  context.fillText('100 %', left - 6, 0)
  context.textBaseline = 'bottom'
  context.fillText('0 %', left - 6, height)
}
