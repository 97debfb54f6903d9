import { type FabricLayout, layOut, type Square, squareAt } from '@cloister/figures'
import { nodeName, parentOf, portOfLink, switchName, switchOfLink } from '@cloister/topology'
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { noOwner } from '../../run/questions.ts'
import { count, freeInWords, nodesInWords, percent } from '../../words.ts'
import { type Size, Tip, useSize } from '../drawing/canvas.tsx'
import { css, scaleColor } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'
import { select } from '../state/session.ts'
import { colorBy, hoveredJob, pod, selectedJob, shownLink, theme } from '../state/view-state.ts'
import { conflictSquares, drawFabric, givesLinks, isCapped, leafUseOf, ownersIn } from './fabric-drawing.ts'
import { drawOverview, layOutPods, type OverviewLayout, podAt } from './pods.ts'

/** If squares in a picture of all pods would be narrower or lower (in CSS pixels), every pod is drawn as a whole. */
const LEAST_SQUARE = 3

/** The cluster at the cursor: a square for each node and cable, or every pod as a whole if squares are too small. */
export function Fabric({ run, title }: { readonly run: RunClient; readonly title: string | undefined }): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const sized = useRef(size)
  sized.current = size
  const under = useSignal<{ readonly x: number; readonly y: number; readonly text: string } | undefined>(undefined)
  const description = useComputed(() => describe(run))
  const draw = (): void => {
    if (run.moment.value === undefined || canvas.current === null || sized.current.width === 0) return
    const { parts, pods } = shownOf(run, sized.current)
    if (parts !== undefined) drawFabric(run, canvas.current, sized.current, parts)
    else drawOverview(run, canvas.current, sized.current, pods)
  }
  useSignalEffect(() => {
    void [run.moment.value, run.version.value, run.overview.value, colorBy.value, theme.value]
    void [selectedJob.value, hoveredJob.value, pod.value, shownLink.value]
    draw()
  })
  useEffect(draw, [size])
  const shown = shownOf(run, size)
  const caption = captionOf(run, shown)
  const pointed = (event: MouseEvent): Pointed => {
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top]
    const { parts, pods } = shownOf(run, sized.current)
    if (parts === undefined) return { x, y, place: podAt(run.topology, pods, x, y) }
    return { x, y, square: squareAt(run.topology, parts, x, y) }
  }
  const capacity = isCapped(run) ? run.overview.value?.header.policy.link_capacity : undefined
  return (
    <section class="fabric" aria-label={`Fabric${title === undefined ? '' : `, ${title}`}`}>
      <header>
        <h2>{title ?? 'Fabric'}</h2>
        {run.topology.pods === 1 ? null : <PodChoice run={run} shown={shown} />}
        <output class="under" title={caption}>
          {markedLink(run) === undefined ? caption : describeSquare(run, markedLink(run)!)}
        </output>
      </header>
      <div
        class="canvases"
        ref={box}
        role="img"
        aria-label={description}
        data-shows={shown.parts === undefined ? 'pods' : 'parts'}
        data-testid={`fabric-${run.side}`}
        onPointerMove={(event) => {
          const { x, y, square, place } = pointed(event)
          hoveredJob.value = square === undefined ? undefined : ownerOf(run, square)
          const text =
            square !== undefined ? describeSquare(run, square) : place === undefined ? '' : describePod(run, place)
          under.value = text === '' ? undefined : { x, y, text }
        }}
        onPointerLeave={() => {
          hoveredJob.value = undefined
          under.value = undefined
        }}
        onClick={(event) => {
          const { square, place } = pointed(event)
          if (place !== undefined) pod.value = place.pod
          else select(square === undefined ? undefined : ownerOf(run, square), false)
        }}
        onDblClick={(event) => {
          const { square } = pointed(event)
          if (pod.value !== undefined) pod.value = undefined
          else if (square?.kind === 'node') pod.value = podOfNode(run, square.node)
        }}
      >
        <canvas ref={canvas} />
        {under.value === undefined ? null : (
          <Tip at={under.value} within={size}>
            {under.value.text}
          </Tip>
        )}
      </div>
      <FabricLegend shows={shown.parts === undefined ? 'pods' : 'parts'} capacity={capacity} />
    </section>
  )
}

interface Pointed {
  readonly x: number
  readonly y: number
  readonly square?: Square | undefined
  readonly place?: ReturnType<typeof podAt>
}

function captionOf(run: RunClient, { parts, pod: only }: Shown): string {
  if (parts === undefined) return 'every pod, leaf by leaf · click: show one pod'
  const what = givesLinks(run) ? 'nodes, leaf to L2, L2 to spine' : 'nodes of each leaf (the policy allocates no links)'
  if (run.topology.pods === 1) return what
  return only === undefined ? `${what} · double click: one pod` : `${what} · double click: all pods · [ and ]: others`
}

function PodChoice({ run, shown }: { readonly run: RunClient; readonly shown: Shown }): JSX.Element {
  return (
    <label>
      <span class="hidden">Pod</span>
      <select
        value={shown.pod ?? 'all'}
        onChange={(event) => {
          pod.value = event.currentTarget.value === 'all' ? undefined : Number(event.currentTarget.value)
        }}
      >
        <option value="all">all pods</option>
        {Array.from({ length: run.topology.pods }, (_, each) => (
          <option key={each} value={each}>
            pod {each}
          </option>
        ))}
      </select>
    </label>
  )
}

interface Shown {
  readonly pod: number | undefined
  /** Layout of nodes and cables; undefined if pods are drawn as a whole. */
  readonly parts: FabricLayout | undefined
  readonly pods: OverviewLayout
}

function shownOf(run: RunClient, { width, height }: Size): Shown {
  const layouts = layoutsOf(run, width, height)
  if (pod.value !== undefined && pod.value < run.topology.pods)
    return { pod: pod.value, parts: layouts.parts(pod.value), pods: layouts.pods() }
  const parts = layouts.parts(undefined)
  const isClear = run.topology.pods === 1 || (parts.fits && Math.min(parts.across, parts.down) >= LEAST_SQUARE)
  return { pod: undefined, parts: isClear ? parts : undefined, pods: layouts.pods() }
}

interface Layouts {
  readonly key: string
  readonly parts: (pod: number | undefined) => FabricLayout
  readonly pods: () => OverviewLayout
}

/** Cache of layouts. Every move of the cursor needs the layouts, which change with the pane's size or the log only. */
const known = new WeakMap<RunClient, Layouts>()

function layoutsOf(run: RunClient, width: number, height: number): Layouts {
  const key = [run.overview.value?.generation, givesLinks(run), width, height].join()
  const found = known.get(run)
  if (found?.key === key) return found
  const parts = new Map<number | undefined, FabricLayout>()
  let pods: OverviewLayout | undefined
  const layouts: Layouts = {
    key,
    parts: (only) => {
      const layout = parts.get(only) ?? layOut(run.topology, width, height, only, givesLinks(run))
      parts.set(only, layout)
      return layout
    },
    pods: () => (pods ??= layOutPods(run.topology, width, height)),
  }
  known.set(run, layouts)
  return layouts
}

function podOfNode({ topology: { podOfLeaf, leafOfNode } }: RunClient, node: number): number {
  return podOfLeaf[leafOfNode[node]]
}

function markedLink({ topology }: RunClient): Square | undefined {
  if (shownLink.value === undefined) return undefined
  const { level, link } = shownLink.value
  if (level >= topology.levels.length || link >= topology.levels[level].links) return undefined
  const sw = switchOfLink(topology, level, link)
  return { kind: 'link', level, sw, port: portOfLink(topology, level, link), link }
}

function ownerOf(run: RunClient, square: Square): string | undefined {
  if (run.moment.value === undefined || (square.kind === 'link' && isCapped(run))) return undefined
  return run.ids[ownersIn(run)(square)]
}

function describeSquare(run: RunClient, square: Square): string {
  if (run.moment.value === undefined) return ''
  const { topology } = run
  const owner = ownersIn(run)(square)
  const holder =
    owner === noOwner.free
      ? 'free'
      : owner === noOwner.down
        ? 'down'
        : square.kind === 'link' && isCapped(run)
          ? `${owner} MB/s in use`
          : owner === noOwner.unread
            ? 'held by a job that is not read yet'
            : `job ${run.ids[owner] ?? '?'}`
  if (square.kind === 'node')
    return `${nodeName(topology, square.node)} on ${switchName(topology, 0, topology.leafOfNode[square.node])}: ${holder}`
  return `${switchName(topology, square.level, square.sw)} port ${square.port} to ${switchName(topology, square.level + 1, parentOf(topology, square.level, square.sw, square.port))}: ${holder}`
}

function describePod(run: RunClient, { pod: at, leaf }: NonNullable<ReturnType<typeof podAt>>): string {
  if (run.moment.value === undefined) return ''
  const { firstLeafOfPod } = run.topology
  const leaves = leaf === undefined ? '' : `; ${useInWords(run, switchName(run.topology, 0, leaf), leaf, leaf + 1)}`
  return useInWords(run, `pod ${at}`, firstLeafOfPod[at], firstLeafOfPod[at + 1]) + leaves
}

function useInWords(run: RunClient, name: string, first: number, end: number): string {
  const { held, down, partialLeafFree } = leafUseOf(run)
  const of = (counts: Int32Array): number => counts.subarray(first, end).reduce((sum, each) => sum + each, 0)
  const { firstNodeOfLeaf } = run.topology
  const nodes = firstNodeOfLeaf[end] - firstNodeOfLeaf[first]
  const broken = of(down) === 0 ? '' : `, ${count(of(down))} down`
  return `${name}: ${count(of(held))} of ${nodesInWords(nodes)} held (${percent(of(held) / nodes, 0)}), ${count(of(partialLeafFree))} free on partly used leaves${broken}`
}

/** Describes the fabric for screen readers. */
function describe(run: RunClient): string {
  const moment = run.moment.value
  if (moment === undefined) return 'The state at the cursor is being looked up.'
  const { pods, podOfLeaf, leafOfNode } = run.topology
  const { partialLeafFree } = leafUseOf(run)
  const free = new Array<number>(pods).fill(0)
  moment.nodeOwners.forEach((owner, node) => {
    if (owner === noOwner.free) free[podOfLeaf[leafOfNode[node]]]++
  })
  const conflicts = conflictSquares(run).size
  return `${conflicts > 0 ? `Conflict: ${conflicts} nodes and links are allocated twice. ` : ''}${freeInWords(moment.free)}, ${count(moment.down)} down. Free nodes by pod: ${free.map((nodes, each) => `${each}: ${nodes}`).join(', ')}. ${count(partialLeafFree.reduce((sum, each) => sum + each, 0))} free nodes are on partly used leaves.`
}

/** Legend of the fabric. @param shows `pods`: every pod is drawn as a whole; `parts`: every node and cable is drawn */
function FabricLegend({
  shows,
  capacity,
}: {
  readonly shows: 'pods' | 'parts'
  /** Bandwidth of a link that jobs share, in MB/s; undefined if jobs share no links. */
  readonly capacity: number | undefined
}): JSX.Element {
  return (
    <p class="fabric-legend">
      {shows === 'pods' ? (
        <span title="share of held nodes of each leaf, or of each pod if leaves are too small to draw">
          {colorBy.value === 'job' ? (
            <>
              left: held 0 % <i class="ramp" style={{ background: ramp('--free', '--job') }} /> 100 %
            </>
          ) : (
            'left: held nodes in the colours of the jobs; fainter colours mean fewer held nodes'
          )}
        </span>
      ) : (
        <span>
          <i style={{ background: 'var(--free)' }} />
          free
        </span>
      )}
      <span title="free nodes on leaves with a used node or uplink: no request for whole leaves can use the free nodes">
        {shows === 'pods' ? (
          <>
            right: free on partly used leaves 0 %{' '}
            <i class="ramp" style={{ background: ramp('--free', '--partial-leaf-free') }} /> 100 %
          </>
        ) : (
          <>
            <i style={{ background: 'var(--partial-leaf-free-node)' }} />
            free on partly used leaves
          </>
        )}
      </span>
      <span>
        <i class={shows === 'pods' ? '' : 'crossed'} style={{ background: 'var(--down)' }} />
        down
      </span>
      {shows === 'pods' ? null : <span>• reserved</span>}
      {capacity === undefined || shows === 'pods' ? null : (
        <span>
          links: 0 <i class="ramp" style={{ background: scale }} /> {capacity} MB/s
        </span>
      )}
    </p>
  )
}

const scale = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((share) => css(scaleColor(share))).join()})`

function ramp(from: string, to: string): string {
  return `linear-gradient(90deg, var(${from}), var(${to}))`
}
