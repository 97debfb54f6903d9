import { type Square, squareAt } from '@cloister/figures'
import { portOfLink, railCount, switchOfLink } from '@cloister/topology'
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Tip, useSize } from '../drawing/canvas.tsx'
import type { RunClient } from '../state/run-client.ts'
import { select } from '../state/session.ts'
import { drawnPath, pickNode } from '../state/shown-routes.ts'
import { colorBy, differences, hoveredJob, pod, selectedJob, shownLink, theme } from '../state/view-state.ts'
import { conflictSquares, drawFabric, drawsLinks, isCapped, ownersIn } from './fabric-drawing.ts'
import { FabricLegend } from './fabric-legend.tsx'
import { describeFabric, describePod, describeSquare } from './fabric-words.ts'
import { drawOverview, podAt } from './pods.ts'
import { fabricSizes, type ShownFabric, shownFabrics, shownOf } from './shown-fabrics.ts'

/** The fabrics of the shown runs side by side in one encoding, and their common legend. */
export function Fabrics({ titleOf }: { readonly titleOf: (run: RunClient) => string | undefined }): JSX.Element {
  const shown = shownFabrics.value
  const capacity = shown.find(isCapped)?.overview.value?.header.policy.link_capacity
  const isOfPods = shown[0] !== undefined && shownOf(shown[0]).parts === undefined
  return (
    <div class="fabrics">
      <div class="side-by-side">
        {shown.map((run) => (
          <Fabric key={run.side} run={run} title={titleOf(run)} />
        ))}
      </div>
      {shown.length === 0 ? null : (
        <FabricLegend
          shows={isOfPods ? 'pods' : 'parts'}
          capacity={capacity}
          rails={railCount(shown[0].topology)}
          isAtFault={shown.some((run) => conflictSquares(run).size > 0)}
        />
      )}
    </div>
  )
}

/** The cluster at the cursor: a square for each node and cable, or every pod as a whole if squares are too small. */
function Fabric({ run, title }: { readonly run: RunClient; readonly title: string | undefined }): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const sized = useRef(size)
  sized.current = size
  const under = useSignal<{ readonly x: number; readonly y: number; readonly text: string } | undefined>(undefined)
  const description = useComputed(() => describeFabric(run))
  const draw = (): void => {
    if (run.moment.value === undefined || canvas.current === null || sized.current.width === 0) return
    const { parts, pods } = shownOf(run)
    if (parts !== undefined) drawFabric(run, canvas.current, sized.current, parts)
    else drawOverview(run, canvas.current, sized.current, pods)
  }
  useSignalEffect(() => {
    void [run.moment.value, run.version.value, run.overview.value, colorBy.value, theme.value]
    void [selectedJob.value, hoveredJob.value, pod.value, shownLink.value, differences.value]
    void drawnPath.value
    draw()
  })
  useEffect(() => {
    fabricSizes.value = new Map(fabricSizes.peek()).set(run, size)
    draw()
  }, [size])
  const shown = shownOf(run)
  const caption = captionOf(run, shown)
  const pointed = (event: MouseEvent): Pointed => {
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top]
    const { parts, pods } = shownOf(run)
    if (parts === undefined) return { x, y, place: podAt(run.topology, pods, x, y) }
    return { x, y, square: squareAt(run.topology, parts, x, y) }
  }
  return (
    <section class="fabric" aria-label={`Fabric${title === undefined ? '' : `, ${title}`}`}>
      <header>
        <h2>{title ?? 'Fabric'}</h2>
        {run.topology.pods === 1 ? null : <PodChoice run={run} shown={shown} />}
        <output class="under">{markedLink(run) === undefined ? caption : describeSquare(run, markedLink(run)!)}</output>
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
          if (square?.kind === 'node') pickNode(square.node)
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
    </section>
  )
}

interface Pointed {
  readonly x: number
  readonly y: number
  readonly square?: Square | undefined
  readonly place?: ReturnType<typeof podAt>
}

function captionOf(run: RunClient, { parts, pod: only }: ShownFabric): string {
  if (parts === undefined) return 'every pod, leaf by leaf · click: show one pod'
  const what = drawsLinks(run) ? 'nodes, leaf to L2, L2 to spine' : 'nodes of each leaf (the policy allocates no links)'
  if (run.topology.pods === 1) return what
  return only === undefined ? `${what} · double click: one pod` : `${what} · double click: all pods · [ and ]: others`
}

function PodChoice({ run, shown }: { readonly run: RunClient; readonly shown: ShownFabric }): JSX.Element {
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
