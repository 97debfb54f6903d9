import type { Topology } from '@cloister/topology'
import { layOut, squares, TITLE } from './fabric-layout.ts'
import type { Axis, Figure, Place } from './figure.ts'
import { jobKeys } from './gantt.ts'
import type { Extent } from './picture.ts'

/** Owners of the nodes and links of a machine at one moment. */
export interface FabricMoment {
  readonly topology: Topology
  /** Returns the id of the job that holds a node; undefined for a node without a job. */
  readonly jobOfNode: (node: number) => string | undefined
  /** Returns the id of the job that owns a link of a level; undefined if jobs own no links. */
  readonly jobOfLink: ((level: number, link: number) => string | undefined) | undefined
  readonly isNodeDown: (node: number) => boolean
  readonly isLinkDown: (level: number, link: number) => boolean
}

const [FREE, DOWN] = ['free', 'down']
const states = [
  { name: FREE, color: '#e4e5e2' },
  { name: DOWN, color: '#5a1414' },
]

/**
 * The fabric at one moment: for each pod a square for every node, and, if jobs own links, for every link. A row has the
 * nodes of a leaf and the links up of the leaf, then the links up of an L2 switch.
 */
export function fabricFigure(
  { topology, jobOfNode, jobOfLink, isNodeDown, isLinkDown }: FabricMoment,
  { width, height, type = 12 }: Extent,
): Figure {
  // The layout has titles for type of 12 pixels, so a picture with larger type has fewer pixels for the layout.
  const scale = type / 12
  const [across, down] = [Math.max(1, width / scale - 28), Math.max(1, height / scale - 42)]
  const layout = layOut(topology, across, down, undefined, jobOfLink !== undefined)
  const all = [...squares(topology, layout)].map((square) => {
    const isDown = square.kind === 'node' ? isNodeDown(square.node) : isLinkDown(square.level, square.link)
    const job = square.kind === 'node' ? jobOfNode(square.node) : jobOfLink?.(square.level, square.link)
    return { square, job, key: job ?? (isDown ? DOWN : FREE) }
  })
  const boxes = all.map(({ square: { x, y }, key }): Place => ({
    x,
    x2: x + layout.across,
    y,
    y2: y + layout.down,
    key,
  }))
  const titles = layout.blocks.map(({ title: text, x, y }): Place => ({ x, y: y + TITLE / 2, key: '', text }))
  const axis: Axis = { label: '', field: '', scale: 'linear', isHidden: true }
  const jobs = [...new Set(all.flatMap(({ job }) => job ?? []))]
  return {
    x: { ...axis, field: 'x', domain: [0, Math.max(across, layout.width)] },
    panels: [
      {
        y: { ...axis, field: 'y', domain: [Math.max(down, layout.height), 0] },
        marks: [
          { shape: 'rect', hasBorder: true, rows: boxes },
          { shape: 'text', rows: titles },
        ],
      },
    ],
    keys: [...states.filter(({ name }) => all.some(({ key }) => key === name)), ...jobKeys(jobs)],
    keyField: 'job',
    data: all.map(({ square, job, key }) => ({
      kind: square.kind,
      level: square.kind === 'node' ? null : square.level,
      id: square.kind === 'node' ? square.node : square.link,
      state: job === undefined ? key : 'busy',
      job: job ?? null,
    })),
  }
}
