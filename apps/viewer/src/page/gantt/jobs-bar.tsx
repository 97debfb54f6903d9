import { useComputed } from '@preact/signals'
import type { JSX } from 'preact'
import { spanFlags } from '../../run/questions.ts'
import { heatShown } from './heat.ts'
import { strandedBounds, strandedLoudness } from './heat-raster.ts'
import type { RunClient } from '../state/run-client.ts'
import { reveal, revealAll } from '../navigation/reveal.ts'
import { runs, togglePin, zoomBy } from '../state/session.ts'
import { nodesInWords } from '../../run/nodes-in-words.ts'
import { timeText } from '../state/clock.ts'
import { span as length } from '../text/times.ts'
import { hoveredJob, pins } from '../state/view-state.ts'

/** The bar above the job charts: legend, navigation, pinned jobs, and the job under the pointer. */
export function JobsBar(): JSX.Element {
  const text = useComputed(() =>
    hoveredJob.value === undefined
      ? 'wheel: closer · shift and wheel: fewer nodes · drag: move · click: go there · shift and drag: zoom to a box · alt and drag: measure it'
      : describeJob(hoveredJob.value),
  )
  return (
    <header class="jobs-bar">
      <h2>Jobs</h2>
      <div role="group" aria-label="How much of them is drawn">
        <button type="button" onClick={() => zoomBy(2)} aria-label="Further away" title="Further away (−)">
          −
        </button>
        <button type="button" onClick={() => zoomBy(0.5)} aria-label="Closer" title="Closer (+)">
          +
        </button>
        <button type="button" onClick={revealAll} title="All of it (0)">
          all
        </button>
      </div>
      <Pins />
      {heatShown.value ? <HeatLegend /> : null}
      <output class="under" data-testid="under-pointer">
        {text}
      </output>
    </header>
  )
}

/** Legend of the rows if pods are drawn as heat. */
function HeatLegend(): JSX.Element {
  const bins = [...strandedBounds, 1].map(strandedLoudness)
  return (
    <span class="heat-legend">
      <span>
        held 0 % <i style={{ background: 'linear-gradient(90deg, var(--canvas), var(--job))' }} /> 100 %
      </span>
      <span title="of each pod: free nodes on leaves that are partly taken; no request for whole leaves can have them">
        stranded ≤ {100 * strandedBounds[0]} %{' '}
        {bins.map((loud) => (
          <i
            key={loud}
            class="bin"
            style={{ background: `color-mix(in srgb, var(--stranded) ${100 * loud}%, var(--job))` }}
          />
        ))}{' '}
        &gt; {100 * strandedBounds.at(-1)!} %
      </span>
    </span>
  )
}

/** Pinned jobs; a click on a job moves to its place. */
function Pins(): JSX.Element | null {
  if (pins.value.length === 0) return null
  return (
    <span class="pins" role="group" aria-label="Pinned jobs">
      {pins.value.map((job) => (
        <span key={job}>
          <button
            type="button"
            onClick={() => {
              const run = runs.peek().find(({ numbers }) => numbers.has(job))
              if (run !== undefined) reveal({ kind: 'job', run, job })
            }}
          >
            {job}
          </button>
          <button type="button" aria-label={`Unpin ${job}`} onClick={() => togglePin(job)}>
            ×
          </button>
        </span>
      ))}
    </span>
  )
}

/** Describes the job under the pointer, for every run. */
export function describeJob(job: string): string {
  const parts = runs.value.flatMap((run) => {
    const description = describeIn(run, job)
    return description === undefined
      ? []
      : [runs.value.length > 1 ? `${run.side.toUpperCase()}: ${description}` : description]
  })
  return `job ${job}: ${parts.join(' · ')}`
}

function describeIn(run: RunClient, job: string): string | undefined {
  void run.version.value
  const number = run.numbers.get(job)
  if (number === undefined) return undefined
  const size = nodesInWords(run.sizes.at(number))
  const span = run.spansOf(number).at(-1)
  if (span === undefined) return `${size}, not started`
  const [start, end] = [run.starts.at(span), run.ends.at(span)]
  const how = (run.flags.at(span) & spanFlags.backfilled) === 0 ? '' : ' backfilled'
  return `${size}, waited ${length(start - run.submits.at(number))}, started${how} at ${timeText(start)}, ${Number.isNaN(end) ? 'still runs' : `ran ${length(end - start)}`}`
}
