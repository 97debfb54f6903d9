import { useEffect, useRef } from 'preact/hooks'
import type { FaultState } from '../fault-state.ts'
import type { Problem } from '../setup.ts'

export function ProblemText({ problem: { message, line } }: { readonly problem: Problem }) {
  const element = useRef<HTMLParagraphElement>(null)
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [message])
  return (
    <p class="problem" role="alert" ref={element}>
      {line === undefined ? '' : `Line ${line}: `}
      {message}
    </p>
  )
}

/** Request, answer and state of a fault: as text, and as a picture with a square for each node. */
export function Fault({ fault }: { readonly fault: FaultState }) {
  const { t, request, answer, given, leaves } = fault
  const marks = marksOf(given)
  const nodes = nodesOf(leaves, marks)
  const wrong = nodes.filter(({ mark }) => mark === 'taken' || mark === 'twice').map(({ node }) => node)
  const beyond = given.filter((node) => !(node >= 0 && node < nodes.length))
  return (
    <section class="fault" aria-label="The fault" data-testid="fault">
      <dl>
        <dt>time</dt>
        <dd>{t} s</dd>
        <dt>request</dt>
        <dd>
          <code>{request}</code>
        </dd>
        <dt>answer</dt>
        <dd>
          <code>{answer === '' ? 'none: the code threw an error' : answer}</code>
        </dd>
        <dt>free nodes</dt>
        <dd>{freeText(leaves)}</dd>
        {wrong.length > 0 && (
          <>
            <dt>wrong nodes</dt>
            <dd>
              {wrong
                .slice(0, MOST_NAMED)
                .map((node) => `${node} (${wordsOf(nodes[node])})`)
                .join(', ')}
              {wrong.length > MOST_NAMED && ` and ${wrong.length - MOST_NAMED} more`}
            </dd>
          </>
        )}
        {beyond.length > 0 && (
          <>
            <dt>no such node</dt>
            <dd>{beyond.slice(0, MOST_NAMED).join(', ')}</dd>
          </>
        )}
      </dl>
      <NodesPicture leaves={leaves} nodes={nodes} />
    </section>
  )
}

const MOST_NAMED = 12
type Mark = 'given' | 'taken' | 'twice' | undefined

interface DrawnNode {
  readonly node: number
  readonly leaf: number
  /** Place of the node on its leaf. */
  readonly place: number
  readonly letter: string
  readonly mark: Mark
}

function marksOf(given: ReadonlyArray<number>): ReadonlyMap<number, number> {
  const times = new Map<number, number>()
  for (const node of given) times.set(node, (times.get(node) ?? 0) + 1)
  return times
}

function nodesOf(leaves: ReadonlyArray<string>, times: ReadonlyMap<number, number>): ReadonlyArray<DrawnNode> {
  let node = 0
  return leaves.flatMap((letters, leaf) =>
    Array.from(letters, (letter, place) => {
      const given = times.get(node) ?? 0
      const mark = given > 1 ? 'twice' : given === 0 ? undefined : letter === 'f' ? 'given' : 'taken'
      return { node: node++, leaf, place, letter, mark }
    }),
  )
}

function wordsOf({ letter, mark }: DrawnNode): string {
  if (mark === 'twice') return 'given twice'
  return letter === 'd' ? 'down' : 'held by a job'
}

/** Returns the number of free nodes, and the numbers of all leaves: `11 (leaf 0: 3, leaves 1 to 2: 4 each)`. */
function freeText(leaves: ReadonlyArray<string>): string {
  const free = leaves.map((letters) => Array.from(letters).filter((letter) => letter === 'f').length)
  const firsts = free.flatMap((count, leaf) => (leaf > 0 && free[leaf - 1] === count ? [] : [leaf]))
  const groups = firsts.map((first, at) => {
    const last = (firsts[at + 1] ?? free.length) - 1
    return first === last ? `leaf ${first}: ${free[first]}` : `leaves ${first} to ${last}: ${free[first]} each`
  })
  return `${free.reduce((all, count) => all + count, 0)} (${groups.join(', ')})`
}

const CELL = 12
/** Leaves in a row of the picture. */
const ROW = 8

function NodesPicture({
  leaves,
  nodes,
}: {
  readonly leaves: ReadonlyArray<string>
  readonly nodes: ReadonlyArray<DrawnNode>
}) {
  const size = Math.max(1, ...leaves.map(({ length }) => length))
  const width = ROW * (size + 1) * CELL
  const height = Math.ceil(leaves.length / ROW) * 2 * CELL
  return (
    <figure>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label="The nodes of each leaf"
      >
        {nodes.map(({ leaf, place, letter, mark }) => {
          const x = ((leaf % ROW) * (size + 1) + place) * CELL
          const y = Math.floor(leaf / ROW) * 2 * CELL
          return (
            <>
              <rect class={`node ${letter}`} x={x + 0.5} y={y + 0.5} width={CELL - 2} height={CELL - 2} />
              {mark === 'given' && <circle class="given" cx={x + 5.5} cy={y + 5.5} r={3} />}
              {mark === 'taken' && <path class="wrong" d={`M${x + 1} ${y + 1}l9 9m0 -9l-9 9`} />}
              {mark === 'twice' && <path class="wrong" d={`M${x + 1} ${y + 3.5}h9m-9 4h9`} />}
            </>
          )
        })}
      </svg>
      <figcaption>
        A group of squares is a leaf. Light: free. Dark: held by a job. Dashed edge: down. ● given by the answer. ×
        given although not free. = given twice.
      </figcaption>
    </figure>
  )
}
