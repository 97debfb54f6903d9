import { linkHeatExtent, linkHeatFigure } from '@cloister/figures'
import { useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { LINK_SHARE } from '../../run/link-use.ts'
import type { LinkGroup, LinkUseAnswer } from '../../run/questions.ts'
import { percent } from '../../words.ts'
import { GUTTER } from '../drawing/canvas.tsx'
import { css, scaleColor, themeColor } from '../drawing/colors.ts'
import type { SavedFigure } from '../drawing/save.tsx'
import type { TimeScale, Track } from '../extensions.ts'
import { askRested } from '../state/asking.ts'
import type { RunClient } from '../state/run-client.ts'
import { activeRun, visible } from '../state/session.ts'
import type { Span } from '../state/view-state.ts'
import { binOf, shareBins } from './share-bins.ts'

/** Time between the last change of the visible times and the request of the links' use, in ms. */
const REST = 60
/** Width of a column of the picture, in CSS pixels. */
const COLUMN = 2

/** Used shares of the links of a run over some times. */
interface Use extends LinkUseAnswer {
  readonly run: RunClient
  readonly times: Span
}

/** Used shares of links over time, with a row for each group of links, such as the uplinks of a pod's leaves. */
export const linkHeat: Track<Use> = {
  name: 'Links by pod',
  height: 130,
  style: 'link-heat',
  isOffered: () => activeRun.value?.overview.value !== undefined,
  useData: useLinkUse,
  draw: drawHeat,
  legend: Legend,
  tip: readingAt,
  describe,
  saved: { title: 'links by pod', file: 'links-by-pod', figureOf },
}

function useLinkUse(pixels: number): Use | undefined {
  const use = useSignal<Use | undefined>(undefined)
  const width = useSignal(0)
  useEffect(() => {
    width.value = pixels
  }, [pixels])
  useSignalEffect(() => {
    const [run, times] = [activeRun.value, visible.value]
    void run?.version.value
    const points = Math.floor((width.value - GUTTER) / COLUMN)
    if (run === undefined || points < 1) return undefined
    return askRested<LinkUseAnswer>({
      rest: REST,
      ask: async (give, signal) => give(await run.answerer.ask('linkUse', { ...times, points }, signal)),
      given: (answer) => {
        use.value = { ...answer, run, times }
      },
      failed: run.fails,
    })
  })
  // The use of another run, which was active before, is not shown.
  return use.value?.run === activeRun.value ? use.value : undefined
}

function Legend(): JSX.Element {
  return (
    <>
      <span title="each pixel shows the mean over its time">
        {activeRun.value?.overview.value?.header.policy.claims.links === 'capped'
          ? 'used share of the bandwidth of links that jobs may hold'
          : 'used share of links'}
      </span>
      {shareBins.map((name, bin) => (
        <span key={name}>
          <i style={{ background: css(colorOf(bin)) }} />
          {name}
        </span>
      ))}
    </>
  )
}

function figureOf({ groups, shares, times }: Use): SavedFigure {
  const figure = linkHeatFigure({
    ...times,
    groups: groups.map(groupName),
    shares: Array.from(shares, (share) => share / LINK_SHARE),
    binOf: (share) => binOf(share * LINK_SHARE),
    // The colour of unused links is nearly white, because paper is white in every theme of the page.
    bins: shareBins.map((name, bin) => ({ name, color: bin === 0 ? '#efefec' : css(colorOf(bin)) })),
  })
  return { figure, extent: linkHeatExtent(960, groups.length) }
}

function colorOf(bin: number): number {
  return bin === 0 ? themeColor('--canvas') : scaleColor((bin - 1) / (shareBins.length - 2))
}

function drawHeat(
  context: CanvasRenderingContext2D,
  { x, left, width, height }: TimeScale,
  { groups, shares, times }: Use,
): void {
  const points = shares.length / Math.max(1, groups.length)
  const edge = (point: number): number => Math.round(x(times.from + (point / points) * (times.to - times.from)))
  const colors = shareBins.map((_, bin) => css(colorOf(bin)))
  const top = (row: number): number => Math.round((row / groups.length) * height)
  for (let row = 0; row < groups.length; row++)
    for (let point = 0; point < points;) {
      const bin = binOf(shares[row * points + point])
      const first = point
      while (point < points && binOf(shares[row * points + point]) === bin) point++
      context.fillStyle = colors[bin]
      context.fillRect(edge(first), top(row), edge(point) - edge(first), top(row + 1) - top(row))
    }
  context.clearRect(0, 0, left, height)
  context.textBaseline = 'top'
  for (const [row, { level }] of groups.entries()) {
    if (row > 0 && groups[row - 1].level === level) continue
    context.fillStyle = css(themeColor('--muted'))
    context.fillText(levelName(level), 3, top(row) + 1, left - 6)
    context.fillStyle = css(themeColor('--strong-line'))
    context.fillRect(0, top(row), width, 1)
  }
}

function levelName(level: number): string {
  return ['leaf to L2', 'L2 to spine'][level] ?? `level ${level + 1} up`
}

function readingAt({ groups, shares, times }: Use, { timeAt, height }: TimeScale, x: number, y: number): string {
  const points = shares.length / Math.max(1, groups.length)
  const row = Math.floor((y / height) * groups.length)
  const point = Math.floor(((timeAt(x) - times.from) / (times.to - times.from)) * points)
  const share = shares[row * points + point]
  return groups[row] === undefined || share === undefined || point < 0
    ? ''
    : `${groupName(groups[row])}: ${percent(share / LINK_SHARE)}`
}

function groupName({ level, pod }: LinkGroup): string {
  return pod === undefined ? levelName(level) : `pod ${pod}, ${levelName(level)}`
}

/** Describes the mean used share of the links of each level over the visible times, for screen readers. */
function describe(use: Use | undefined): string {
  if (use === undefined) return 'The use of links is being looked up.'
  const points = use.shares.length / Math.max(1, use.groups.length)
  const levels = [...new Set(use.groups.map(({ level }) => level))].map((level) => {
    let [used, links] = [0, 0]
    for (const [row, group] of use.groups.entries()) {
      if (group.level !== level) continue
      links += group.links
      for (const share of use.shares.subarray(row * points, (row + 1) * points)) used += (share * group.links) / points
    }
    return `${levelName(level)} ${percent(used / LINK_SHARE / Math.max(1, links))}`
  })
  return `Links used over the visible times: ${levels.join(', ')}.`
}
