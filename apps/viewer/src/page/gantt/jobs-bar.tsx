import { useComputed } from '@preact/signals'
import type { JSX } from 'preact'
import { spanFlags } from '../../run/questions.ts'
import { heatShown } from './heat.ts'
import { partialLeafFreeBounds, partialLeafFreeLoudness } from './heat-raster.ts'
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
      ? 'wheel: zoom in time · shift and wheel: zoom in nodes · drag: move · click: go to the time · shift and drag: zoom to a box · alt and drag: select an area'
      : describeJob(hoveredJob.value),
  )
  return (
    <header class="jobs-bar">
      <h2>Jobs</h2>
      <div role="group" aria-label="Zoom of the chart of jobs">
        <button type="button" onClick={() => zoomBy(2)} aria-label="Further away" title="Further away (−)">
          −
        </button>
        <button type="button" onClick={() => zoomBy(0.5)} aria-label="Closer" title="Closer (+)">
          +
        </button>
        <button type="button" onClick={revealAll} title="All times and nodes (0)">
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

function HeatLegend(): JSX.Element {
  const bins = [...partialLeafFreeBounds, 1].map(partialLeafFreeLoudness)
  return (
    <span class="heat-legend">
      <span>
        held 0 % <i style={{ background: 'linear-gradient(90deg, var(--canvas), var(--job))' }} /> 100 %
      </span>
      <span title="share of each pod's nodes: free nodes on partly used leaves; no request for whole leaves can use them">
        free on partly used leaves ≤ {100 * partialLeafFreeBounds[0]} %{' '}
        {bins.map((loud) => (
          <i
            key={loud}
            class="bin"
            style={{ background: `color-mix(in srgb, var(--partial-leaf-free) ${100 * loud}%, var(--job))` }}
          />
        ))}{' '}
        &gt; {100 * partialLeafFreeBounds.at(-1)!} %
      </span>
    </span>
  )
}

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

/** Describes the size, wait and run time of a job in every run. */
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
