import { nodeName, parentOf, parseIdset, portOfLink, switchName, switchOfLink } from '@cloister/topology'
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { JSX } from 'preact'
import { noOwner } from '../../run/questions.ts'
import { type Size, useSize } from '../drawing/canvas.ts'
import { drawFabric } from './fabric-drawing.ts'
import { type Square, squareAt, type FabricLayout, layOut } from './fabric-layout.ts'
import { conflictSquares, givesLinks, isCapped, ownerNumber } from './fabric-owners.ts'
import type { RunClient } from '../state/run-client.ts'
import { select } from '../state/session.ts'
import { freeInWords } from '../../run/nodes-in-words.ts'
import { count } from '../text/times.ts'
import { hoveredJob, pod, selectedJob, shownLink, theme } from '../state/view-state.ts'

/** Every node and every cable of the cluster at the cursor, a square each, in the colour of the job that holds it. */
export function Fabric({ run, title }: { readonly run: RunClient; readonly title: string | undefined }): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const layout = useRef<FabricLayout | undefined>(undefined)
  const sized = useRef(size)
  sized.current = size
  const under = useSignal<string>('')
  const description = useComputed(() => describe(run))
  const draw = (): void => {
    if (run.moment.value === undefined || canvas.current === null || sized.current.width === 0) return
    layout.current = shownOf(run, sized.current).layout
    drawFabric(run, canvas.current, sized.current, layout.current)
  }
  useSignalEffect(() => {
    void [
      run.moment.value,
      selectedJob.value,
      hoveredJob.value,
      pod.value,
      shownLink.value,
      theme.value,
      run.overview.value,
    ]
    draw()
  })
  useEffect(draw, [size])
  const shown = shownOf(run, size)
  const caption = `${givesLinks(run) ? 'nodes, leaf to L2, L2 to spine' : 'nodes of each leaf (no links are given)'}${run.topology.pods === 1 ? '' : shown.pod === undefined ? ' · double click: one pod' : ' · [ and ]: other pods'}`
  const squareUnder = (event: MouseEvent): Square | undefined => {
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect()
    return layout.current === undefined
      ? undefined
      : squareAt(run.topology, layout.current, event.clientX - bounds.left, event.clientY - bounds.top)
  }
  return (
    <section class="fabric" aria-label={`Fabric${title === undefined ? '' : `, ${title}`}`}>
      <header>
        <h2>Fabric{title === undefined ? '' : ` · ${title}`}</h2>
        {run.topology.pods === 1 ? null : <PodChoice run={run} shown={shown} />}
        <output class="under" title={caption}>
          {under.value !== ''
            ? under.value
            : markedLink(run) === undefined
              ? caption
              : describeSquare(run, markedLink(run)!)}
        </output>
      </header>
      <div
        class="canvases"
        ref={box}
        role="img"
        aria-label={description}
        data-testid={`fabric-${run.side}`}
        onPointerMove={(event) => {
          const square = squareUnder(event)
          hoveredJob.value = square === undefined ? undefined : ownerOf(run, square)
          under.value = square === undefined ? '' : describeSquare(run, square)
        }}
        onPointerLeave={() => {
          hoveredJob.value = undefined
          under.value = ''
        }}
        onClick={(event) => {
          const square = squareUnder(event)
          select(square === undefined ? undefined : ownerOf(run, square), false)
        }}
        onDblClick={(event) => {
          const square = squareUnder(event)
          if (square?.kind === 'node') pod.value = pod.value === undefined ? podOfNode(run, square.node) : undefined
        }}
      >
        <canvas ref={canvas} />
      </div>
    </section>
  )
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
        <option value="all" disabled={!shown.allFit}>
          all pods
        </option>
        {Array.from({ length: run.topology.pods }, (_, each) => (
          <option key={each} value={each}>
            pod {each}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The pods that are drawn, all or one, and whether there is room for all. */
interface Shown {
  readonly pod: number | undefined
  readonly allFit: boolean
  readonly layout: FabricLayout
}

/** The pod that the user chose; where all pods do not fit, a pod of the selected job. */
function shownOf(run: RunClient, { width, height }: Size): Shown {
  const laidOut = (only: number | undefined): FabricLayout => layoutOf(run, width, height, only)
  const all = laidOut(undefined)
  const wanted =
    pod.value !== undefined && pod.value < run.topology.pods
      ? pod.value
      : all.fits || width === 0
        ? undefined
        : podOfSelected(run)
  return { pod: wanted, allFit: all.fits, layout: wanted === undefined ? all : laidOut(wanted) }
}

/** The last few layouts of each run: they change with the size of the pane alone, and are asked for at every state. */
const layouts = new WeakMap<RunClient, Map<string, FabricLayout>>()

function layoutOf(run: RunClient, width: number, height: number, only: number | undefined): FabricLayout {
  const key = [run.overview.value?.generation, givesLinks(run), width, height, only].join()
  const known = layouts.get(run) ?? new Map<string, FabricLayout>()
  const layout = known.get(key) ?? layOut(run.topology, width, height, only, givesLinks(run))
  if (known.size > 8) known.clear()
  layouts.set(run, known.set(key, layout))
  return layout
}

function podOfSelected(run: RunClient): number {
  const chosen = run.moment.value?.running.find(({ job }) => job === selectedJob.value)
  return chosen === undefined ? 0 : podOfNode(run, parseIdset(chosen.nodes)[0])
}

function podOfNode({ topology: { podOfLeaf, leafOfNode } }: RunClient, node: number): number {
  return podOfLeaf[leafOfNode[node]]
}

/** The cable that was asked for. */
function markedLink({ topology }: RunClient): Square | undefined {
  if (shownLink.value === undefined) return undefined
  const { level, link } = shownLink.value
  if (level >= topology.levels.length || link >= topology.levels[level].links) return undefined
  const sw = switchOfLink(topology, level, link)
  return { kind: 'link', level, sw, port: portOfLink(topology, level, link), link }
}

function ownerOf(run: RunClient, square: Square): string | undefined {
  if (run.moment.value === undefined || (square.kind === 'link' && isCapped(run))) return undefined
  return run.ids[ownerNumber(run, square)]
}

function describeSquare(run: RunClient, square: Square): string {
  if (run.moment.value === undefined) return ''
  const { topology } = run
  const owner = ownerNumber(run, square)
  const holder =
    owner === noOwner.free
      ? 'free'
      : owner === noOwner.down
        ? 'down'
        : square.kind === 'link' && isCapped(run)
          ? `${owner} MB/s in use`
          : owner === noOwner.unread
            ? 'a job that is not read yet'
            : `job ${run.ids[owner] ?? '?'}`
  if (square.kind === 'node')
    return `${nodeName(topology, square.node)} on ${switchName(topology, 0, topology.leafOfNode[square.node])}: ${holder}`
  return `${switchName(topology, square.level, square.sw)} port ${square.port} to ${switchName(topology, square.level + 1, parentOf(topology, square.level, square.sw, square.port))}: ${holder}`
}

function describe(run: RunClient): string {
  const moment = run.moment.value
  if (moment === undefined) return 'The state at the cursor is being looked up.'
  const { pods, podOfLeaf, leafOfNode } = run.topology
  const free = new Array<number>(pods).fill(0)
  moment.nodeOwners.forEach((owner, node) => {
    if (owner === noOwner.free) free[podOfLeaf[leafOfNode[node]]]++
  })
  const conflicts = conflictSquares(run).size
  return `${conflicts > 0 ? `Conflict: ${conflicts} nodes and links are given away twice. ` : ''}${freeInWords(moment.free)}, ${count(moment.down)} down. Free nodes by pod: ${free.map((nodes, each) => `${each}: ${nodes}`).join(', ')}.`
}
