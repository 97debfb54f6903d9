import { useComputed, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { count, nodesInWords, span, unnamedInWords } from '../../words.ts'
import { jobsQuery } from '../panels/jobs.tsx'
import { reveal } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { activeRun, epochShown, runs, timeText } from '../state/session.ts'
import { showPath } from '../state/shown-routes.ts'
import { clockBy, sets, tab } from '../state/view-state.ts'
import { commands } from './keys.tsx'
import { type Suggestion, suggestionsFor } from './meanings.ts'
import { whyNoLink, whyNoPlace } from './places.ts'

/** A search field for a job, a user, jobs by a query, a time, a record, a part of the machine, or a command. */
export function Omnibox(): JSX.Element {
  const typed = useSignal('')
  const isOpen = useSignal(false)
  const chosen = useSignal(0)
  const missing = useSignal<string | undefined>(undefined)
  const found = useComputed(() => (isOpen.value ? suggestedOf(typed.value) : []))
  const close = (field: HTMLElement | null): void => {
    isOpen.value = false
    // Without focus in the field the keys of the page work again.
    field?.blur()
  }
  const take = (suggestion: Suggestion, field: HTMLElement | null): void => {
    missing.value = undefined
    typed.value = ''
    close(field)
    follow(suggestion)
  }
  const submit = async (field: HTMLInputElement): Promise<void> => {
    const suggestion = found.value[chosen.value] ?? suggestedOf(typed.value)[0]
    if (suggestion !== undefined) return take(suggestion, field)
    const text = typed.value.trim()
    missing.value = text === '' ? undefined : await lookUp(text)
    if (missing.value === undefined) {
      typed.value = ''
      close(field)
    } else field.select() // The next typed text replaces the refused text.
  }
  return (
    <form
      role="search"
      class="omnibox"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(event.currentTarget.querySelector('input')!)
      }}
    >
      <input
        id="search"
        name="go"
        role="combobox"
        aria-label="Go to"
        aria-expanded={isOpen.value && found.value.length > 0}
        aria-controls="suggestions"
        aria-autocomplete="list"
        aria-activedescendant={isOpen.value && found.value.length > 0 ? `suggestion-${chosen.value}` : undefined}
        aria-invalid={missing.value !== undefined}
        placeholder="job, user, size>256, time, 1h, leaf 3"
        title="Go to a job, a user, the jobs of a query, a time, a record or a part of the machine (leaf 3 @ 06:12), show a length of time (1h, 1h@3d), or run a command (/ or Ctrl-K)"
        autocomplete="off"
        value={typed.value}
        onFocus={(event) => {
          isOpen.value = true
          event.currentTarget.select()
        }}
        onBlur={sets(isOpen, false)}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          chosen.value = 0
          missing.value = undefined
          isOpen.value = true
        }}
        onKeyDown={(event) => {
          const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
          if (move !== 0 && found.value.length > 0) {
            event.preventDefault()
            chosen.value = (chosen.value + move + found.value.length) % found.value.length
          }
          if (event.key === 'Escape') {
            event.stopPropagation()
            close(event.currentTarget)
          }
        }}
      />
      {isOpen.value && found.value.length > 0 ? (
        <ul role="listbox" id="suggestions" aria-label="Meanings of the text">
          {found.value.map((suggestion, at) => (
            <li
              key={at}
              id={`suggestion-${at}`}
              role="option"
              aria-selected={at === chosen.value}
              onPointerDown={(event) => {
                event.preventDefault()
                take(suggestion, document.querySelector<HTMLElement>('#search'))
              }}
            >
              {wordsOf(suggestion)}
            </li>
          ))}
        </ul>
      ) : null}
      {missing.value === undefined ? null : <output role="status">{missing.value}</output>}
    </form>
  )
}

function suggestedOf(text: string): ReadonlyArray<Suggestion> {
  const run = activeRun.value
  if (run?.overview.value === undefined) return []
  void run.version.value
  return suggestionsFor(text, {
    topology: run.topology,
    ids: run.ids,
    isJob: (id) => runOf(id) !== undefined,
    epoch: epochShown(),
    clockBy: clockBy.value,
    commands: commands.value.map(({ name }) => name),
  })
}

function runOf(job: string): RunClient | undefined {
  return [activeRun.value, ...runs.value].find((run) => run?.numbers.has(job) === true)
}

function wordsOf(suggestion: Suggestion): string {
  switch (suggestion.kind) {
    case 'job': {
      const run = runOf(suggestion.job)
      const number = run?.numbers.get(suggestion.job)
      return `job ${suggestion.job}${number === undefined ? '' : `: ${nodesInWords(run!.sizes.at(number))}`}`
    }
    case 'moment':
      return 'seq' in suggestion.moment
        ? `record ${count(suggestion.moment.seq)}`
        : `the time ${timeText(suggestion.moment.t)}`
    case 'times': {
      const { length, from } = suggestion.times
      return `${span(length)} ${from === undefined ? 'around the cursor' : `from ${timeText(from)} on`}`
    }
    case 'place':
      return `${suggestion.place.name}${suggestion.t === undefined ? '' : ` at ${timeText(suggestion.t)}`}`
    case 'path':
      return `path ${suggestion.name}`
    case 'query':
      return `jobs with ${suggestion.query}`
    case 'command':
      return suggestion.name
  }
}

function follow(suggestion: Suggestion): void {
  const run = activeRun.peek()
  if (run === undefined) return
  switch (suggestion.kind) {
    case 'job': {
      tab.value = 'job'
      return reveal({ kind: 'job', run: runOf(suggestion.job) ?? run, job: suggestion.job })
    }
    case 'moment':
      return 'seq' in suggestion.moment
        ? reveal({ kind: 'record', seq: suggestion.moment.seq, on: run.side })
        : reveal({ kind: 'time', t: suggestion.moment.t })
    case 'times':
      return reveal({ kind: 'times', ...suggestion.times })
    case 'place':
      return reveal({ kind: 'place', run, place: suggestion.place, t: suggestion.t })
    case 'path':
      return showPath(suggestion.from, suggestion.to)
    case 'query':
      return listJobs(suggestion.query)
    case 'command':
      return commands
        .peek()
        .find(({ name }) => name === suggestion.name)
        ?.run()
  }
}

function listJobs(query: string): void {
  jobsQuery.value = query
  tab.value = 'jobs'
}

/** Lists the jobs of a query such as a user's name. Returns a message if no job matches, or if the query is wrong. */
async function lookUp(text: string): Promise<string | undefined> {
  const run = activeRun.peek()
  if (run === undefined) return undefined
  const [name] = text.split('@')
  const noPlace = whyNoLink(name, run.topology) ?? whyNoPlace(name, run.topology)
  if (noPlace !== undefined) return noPlace
  try {
    const asked = { query: text, sort: null, descending: false, from: 0, count: 0, histogram: null }
    const { error, found, unnamed } = await run.answerer.ask('jobs', asked)
    if (error !== null) return error
    if (found === 0) return `no job ${text.replace(/^job\s+/i, '')}${unnamedInWords(unnamed)}`
    listJobs(text)
  } catch (error) {
    run.fails(error)
  }
  return undefined
}
