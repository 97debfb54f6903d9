import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX, TargetedMouseEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Picture } from '../../pictures/drawing.ts'
import { drawLinkHeat } from '../../pictures/link-heat.ts'
import { LINK_SHARE, type LinkGroup } from '../../run/link-use.ts'
import type { LinkUseAnswer } from '../../run/questions.ts'
import { freshContext, type Size, useSize } from '../drawing/canvas.ts'
import { css, scaleColor, themeColor } from '../drawing/colors.ts'
import { GUTTER } from '../drawing/measures.ts'
import { SaveButtons } from '../drawing/save-buttons.tsx'
import { reveal } from '../navigation/reveal.ts'
import { askRested } from '../state/ask-rested.ts'
import type { RunClient } from '../state/run-client.ts'
import { visible } from '../state/session.ts'
import { cursor, type Span, theme } from '../state/view-state.ts'
import { percent } from '../text/times.ts'
import { binOf, shareBins } from './share-bins.ts'

/** Time between the last change of the visible times and the request of the links' use, in ms. */
const REST = 60
/** Width of a column of the picture, in CSS pixels. */
const COLUMN = 2

/** Used shares of links over time, with a row for each group of links, such as the uplinks of a pod's leaves. */
export function LinkHeat({ run }: { readonly run: RunClient }): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const use = useSignal<(LinkUseAnswer & { readonly times: Span }) | undefined>(undefined)
  const width = useSignal(0)
  const pointer = useSignal<Point | undefined>(undefined)
  const description = useComputed(() => describe(use.value))
  useEffect(() => {
    width.value = size.width
  }, [size.width])
  useSignalEffect(() => {
    const times = visible.value
    void run.version.value
    const points = Math.floor((width.value - GUTTER) / COLUMN)
    if (points < 1) return undefined
    return askRested<LinkUseAnswer>({
      rest: REST,
      ask: async (give, signal) => give(await run.answerer.ask('linkUse', { ...times, points }, signal)),
      given: (answer) => {
        use.value = { ...answer, times }
      },
      failed: (message) => {
        run.error.value = message
      },
    })
  })
  const draw = (): void => {
    if (canvas.current !== null && use.value !== undefined && size.width > GUTTER)
      drawHeat(canvas.current, size, use.value)
  }
  useSignalEffect(() => {
    void [use.value, theme.value, cursor.value]
    draw()
  })
  useEffect(draw, [size])
  return (
    <div class="heat">
      <p>
        <span title="each pixel shows the mean over its time">
          {run.overview.value?.header.policy.claims.links === 'capped'
            ? 'used share of the bandwidth of links that jobs may hold'
            : 'used share of links'}
        </span>
        {shareBins.map((name, bin) => (
          <span key={name}>
            <i style={{ background: css(colorOf(bin)) }} />
            {name}
          </span>
        ))}
        <output>{pointer.value && use.value ? readingAt(pointer.value, size, use.value) : ''}</output>
        <SaveButtons title="links by pod" name="links-by-pod" pictureOf={() => use.value && pictureOf(use.value)} />
      </p>
      <div
        class="canvases"
        ref={box}
        role="img"
        aria-label={description}
        data-testid="link-heat"
        onClick={(event) => reveal({ kind: 'time', t: timeAt(pointIn(event), size) })}
        onMouseMove={(event) => {
          pointer.value = pointIn(event)
        }}
        onMouseLeave={() => {
          pointer.value = undefined
        }}
      >
        <canvas ref={canvas} />
      </div>
    </div>
  )
}

function pictureOf({ groups, shares, times }: LinkUseAnswer & { readonly times: Span }): Picture {
  return drawLinkHeat(document, 960, {
    ...times,
    groups: groups.map(groupName),
    shares: Array.from(shares, (share) => share / LINK_SHARE),
    binOf: (share) => binOf(share * LINK_SHARE),
    // The colour of unused links is nearly white, because paper is white in every theme of the page.
    bins: shareBins.map((name, bin) => ({ name, color: bin === 0 ? '#efefec' : css(colorOf(bin)) })),
  })
}

function colorOf(bin: number): number {
  return bin === 0 ? themeColor('--canvas') : scaleColor((bin - 1) / (shareBins.length - 2))
}

function drawHeat(
  canvas: HTMLCanvasElement,
  size: Size,
  { groups, shares, times }: LinkUseAnswer & { readonly times: Span },
): void {
  const context = freshContext(canvas, size)
  const points = shares.length / Math.max(1, groups.length)
  const { from, to } = visible.peek()
  const x = (t: number): number => GUTTER + ((t - from) / (to - from)) * (size.width - GUTTER)
  const edge = (point: number): number => Math.round(x(times.from + (point / points) * (times.to - times.from)))
  const colors = shareBins.map((_, bin) => css(colorOf(bin)))
  const top = (row: number): number => Math.round((row / groups.length) * size.height)
  for (let row = 0; row < groups.length; row++)
    for (let point = 0; point < points;) {
      const bin = binOf(shares[row * points + point])
      const first = point
      while (point < points && binOf(shares[row * points + point]) === bin) point++
      context.fillStyle = colors[bin]
      context.fillRect(edge(first), top(row), edge(point) - edge(first), top(row + 1) - top(row))
    }
  context.clearRect(0, 0, GUTTER, size.height)
  context.font = '12px system-ui, sans-serif'
  context.textBaseline = 'top'
  for (const [row, { level }] of groups.entries()) {
    if (row > 0 && groups[row - 1].level === level) continue
    context.fillStyle = css(themeColor('--muted'))
    context.fillText(levelName(level), 3, top(row) + 1, GUTTER - 6)
    context.fillStyle = css(themeColor('--strong-line'))
    context.fillRect(0, top(row), size.width, 1)
  }
  const at = Math.round(x(cursor.peek().t))
  context.fillStyle = css(themeColor('--accent'))
  if (at >= GUTTER) context.fillRect(at - 1, 0, 2, size.height)
}

function levelName(level: number): string {
  return ['leaf to L2', 'L2 to spine'][level] ?? `level ${level + 1} up`
}

/** Position in the picture, in CSS pixels from its upper left corner. */
interface Point {
  readonly x: number
  readonly y: number
}

function pointIn({ currentTarget, clientX, clientY }: TargetedMouseEvent<HTMLElement>): Point {
  const { left, top } = currentTarget.getBoundingClientRect()
  return { x: clientX - left, y: clientY - top }
}

function timeAt({ x }: Point, size: Size): number {
  const { from, to } = visible.peek()
  return from + (Math.max(0, x - GUTTER) / (size.width - GUTTER)) * (to - from)
}

function readingAt(at: Point, size: Size, { groups, shares, times }: LinkUseAnswer & { readonly times: Span }): string {
  const points = shares.length / Math.max(1, groups.length)
  const row = Math.floor((at.y / size.height) * groups.length)
  const point = Math.floor(((timeAt(at, size) - times.from) / (times.to - times.from)) * points)
  const share = shares[row * points + point]
  return groups[row] === undefined || share === undefined || point < 0
    ? ''
    : `${groupName(groups[row])}: ${percent(share / LINK_SHARE)}`
}

function groupName({ level, pod }: LinkGroup): string {
  return pod === undefined ? levelName(level) : `pod ${pod}, ${levelName(level)}`
}

/** Describes the mean used share of the links of each level over the visible times, for screen readers. */
function describe(use: LinkUseAnswer | undefined): string {
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
