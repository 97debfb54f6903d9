import type { Allocate } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { count } from '../../words.ts'
import { placeOfLink } from '../controls/places.ts'
import { reveal } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { selectedJob } from '../state/view-state.ts'
import { More } from './panel-shell.tsx'

/** Number of listed links, until the user asks for all links. */
const LISTED = 12

/** Links of a job's allocation by name, for the search field and for other programs. */
export function JobLinks({
  run,
  allocate,
}: {
  readonly run: RunClient
  readonly allocate: Allocate
}): JSX.Element | null {
  const isOpen = useSignal(false)
  const isCopied = useSignal<string | undefined>(undefined)
  const places = useMemo(
    () =>
      (allocate.links ?? []).flatMap((ids, level) =>
        Array.from(parseIdset(ids), (link) => placeOfLink(run.topology, level, link)),
      ),
    [run.topology, allocate],
  )
  if (places.length === 0) return null
  const ofLeaves = places.filter(({ level }) => level === 0).length
  return (
    <section aria-label="Links of the job" data-testid="job-links">
      <h3>
        {count(ofLeaves)} links of leaves, {count(places.length - ofLeaves)} above{' '}
        <button
          type="button"
          onClick={() => {
            void navigator.clipboard.writeText(places.map(({ name }) => `${name}\n`).join('')).then(() => {
              isCopied.value = selectedJob.peek()
            })
          }}
        >
          {isCopied.value === allocate.job ? 'copied' : 'copy'}
        </button>
      </h3>
      <ul class="links">
        {(isOpen.value ? places : places.slice(0, LISTED)).map((place) => (
          <li key={place.name}>
            <button type="button" class="link" onClick={() => reveal({ kind: 'place', run, place })}>
              {place.name}
            </button>
          </li>
        ))}
      </ul>
      {places.length <= LISTED ? null : (
        <More isOpen={isOpen} more={`and ${count(places.length - LISTED)} more links`} />
      )}
    </section>
  )
}
