import { useEffect, useState } from 'preact/hooks'
import { policies } from 'site:policy-names'
import { code as codeToStartFrom } from 'site:policy-to-start-from'
import { type Exercise, exercises } from '../exercises.ts'
import { type DroppedFiles, FILE, firstSetup, linkOf, OWN_CODE, type Problem, type Setup } from '../setup.ts'
import { ProblemError, warmUp } from './ask.ts'
import { Bar } from './bar.tsx'
import { ExercisePanel, Exercises } from './exercise.tsx'
import { Fault, ProblemText } from './fault.tsx'
import { CodeField, Fields, MoreFields } from './fields.tsx'
import { OutageFields } from './outage-fields.tsx'
import { Results, runBoth, type ShownRuns, shownRuns, type Side } from './results.tsx'
import { type StoredRuns, Viewer } from './viewer.tsx'

interface PlaygroundProps {
  /** The finished runs of the first set-up, which the page shows at once. */
  readonly stored: StoredRuns
  /** Set-up of the page's address; undefined if the address has none. */
  readonly given: Setup | undefined
}

interface Shown {
  readonly runs: ShownRuns
  readonly sides: readonly [Side, Side]
  readonly setup: Setup
  /** Time of the click on Run, as `performance.now` gives it. */
  readonly clicked: number
}

/** The whole page: a set-up, a button Run, and the results of two runs. */
export function Playground({ stored, given }: PlaygroundProps) {
  const [setup, setSetup] = useState<Setup>(given ?? firstSetup)
  const [files, setFiles] = useState<DroppedFiles>({})
  const [problem, setProblem] = useState<Problem>()
  const [running, setRunning] = useState<AbortController>()
  const [shown, setShown] = useState<Shown>()
  const [isStoredShown, setIsStoredShown] = useState(given === undefined)
  const [time, setTime] = useState<string>()
  const usesCode = setup.policies.includes(OWN_CODE)
  const exercise = usesCode ? exercises.find(({ name }) => name === setup.exercise) : undefined

  const change = (changed: Setup): Setup => {
    // A link contains the code of a policy even if the user did not change the code.
    const whole = { ...changed, code: changed.code ?? codeToStartFrom }
    setSetup(whole)
    history.replaceState(null, '', linkOf(whole))
    return whole
  }
  const choose = async (chosen: File): Promise<void> => {
    const { name } = chosen
    const file = { name, bytes: new Uint8Array(await chosen.arrayBuffer()) }
    const isMachine = /\.(conf|ya?ml)$/i.test(name)
    setFiles({ ...files, [isMachine ? 'machine' : 'jobs']: file })
    const option = isMachine ? { topology: `slurm:${name}` } : { trace: FILE + name }
    change({ ...setup, options: { ...setup.options, ...option } })
  }
  const begin = ({ name, code }: Exercise): void => {
    setProblem(undefined)
    change({ ...setup, policies: ['baseline', OWN_CODE], code, exercise: name })
  }
  const start = async (wanted: Setup): Promise<void> => {
    const clicked = performance.now()
    const stop = new AbortController()
    setRunning(stop)
    setProblem(undefined)
    setTime(undefined)
    try {
      const sides = await runBoth(wanted, files, stop)
      setShown({ runs: shownRuns(sides, wanted), sides, setup: wanted, clicked })
    } catch (error) {
      setShown(undefined)
      setProblem(error instanceof ProblemError ? error.problem : unplaced(error))
    } finally {
      setIsStoredShown(false)
      setRunning(undefined)
    }
  }
  useEffect(() => onDroppedFile((dropped) => void choose(dropped)), [setup, files])

  const ofResults = shown?.setup ?? (isStoredShown ? firstSetup : undefined)
  const isCurrent = ofResults !== undefined && linkOf(ofResults) === linkOf(setup)
  const columns = shown?.runs.columns ?? (isStoredShown ? stored.columns : undefined)
  const violating = shown?.sides.find(({ policy, examined: { fault } }) => policy === OWN_CODE && fault !== undefined)
  const violation = violating && {
    message: violating.examined.audit.violations[0].message,
    line: violating.simulated.placeLine,
    column: undefined,
  }
  return (
    <>
      <Bar />
      <main>
        <form
          class="setup"
          // Simulator and auditor are loaded when the user turns to the form. No code of a set-up runs before a click.
          onPointerEnter={warmUp}
          onFocusIn={warmUp}
          onSubmit={(event) => {
            event.preventDefault()
            if (running === undefined) void start(setup)
            else running.abort()
          }}
        >
          <h1>Playground</h1>
          <p>
            Two policies place the same jobs on the same machine. Nothing that you choose, drop or write leaves your
            browser.
          </p>
          {given !== undefined && shown === undefined && (
            <p class="note" data-testid="from-link">
              This set-up came with the link. The set-up does not run before you press Run
              {usesCode && ', Check, or Fail and run; its code then runs in a sandbox without network'}.
            </p>
          )}
          <Fields setup={setup} policies={policies} onChange={change} />
          <div class="go">
            <button type="submit" class="run">
              {running === undefined ? 'Run' : 'Stop'}
            </button>
            <span role="status" data-testid="status">
              {running !== undefined && 'running …'}
              {running === undefined && isCurrent && (time ?? (isStoredShown && 'Both runs are finished:'))}
              {running === undefined && columns !== undefined && !isCurrent && 'The results are of an earlier set-up.'}
            </span>
          </div>
          {columns !== undefined && (
            <div class={running === undefined && isCurrent ? '' : 'old'}>
              <Results columns={columns} />
            </div>
          )}
          {isStoredShown && (
            <p>Jigsaw gives each job links of its own, at the cost above. Under Baseline, jobs share links.</p>
          )}
          <OutageFields
            outages={setup.outages}
            onChange={(outages) => change({ ...setup, outages })}
            onFail={(outages) => void start(change({ ...setup, outages }))}
            isBusy={running !== undefined}
          />
          <Exercises chosen={exercise} onChoose={begin} />
          <MoreFields setup={setup} onChange={change} onFile={(chosen) => void choose(chosen)} />
        </form>
        <div class="shown">
          {usesCode && (
            <div class="writing">
              <CodeField
                key={exercise?.name}
                code={setup.code ?? codeToStartFrom}
                problem={problem ?? violation}
                onChange={(code) => change({ ...setup, code })}
              />
              {exercise !== undefined && (
                <ExercisePanel key={exercise.name} exercise={exercise} code={setup.code ?? ''} />
              )}
            </div>
          )}
          {problem !== undefined && <ProblemText problem={problem} />}
          {problem?.fault !== undefined && <Fault fault={problem.fault} />}
          {violation !== undefined && violating?.examined.fault !== undefined && (
            <>
              <ProblemText problem={{ ...violation, message: `the audit found: ${violation.message}` }} />
              <Fault fault={violating.examined.fault} />
            </>
          )}
          <Viewer
            stored={isStoredShown ? stored : undefined}
            runs={shown?.runs}
            onDrawn={() => shown !== undefined && setTime(timeOf(shown))}
          />
        </div>
      </main>
    </>
  )
}

function timeOf({ sides, clicked }: Shown): string {
  const seconds = sides.map(({ simulated, examined }) => [simulated.seconds, examined.seconds])
  const longest = (at: 0 | 1): string => Math.max(...seconds.map((each) => each[at])).toFixed(2)
  return `${((performance.now() - clicked) / 1000).toFixed(2)} s from the click to the picture: ${longest(0)} s to simulate, ${longest(1)} s to audit`
}

const unplaced = (error: unknown): Problem => ({
  message: error instanceof Error ? error.message : String(error),
  line: undefined,
  column: undefined,
})

/**
 * Calls `take` with a file that is dropped anywhere on the page; otherwise the browser would open the file instead of
 * the page. Dragged text is left to the field for code.
 *
 * @returns function that stops the listener
 */
function onDroppedFile(take: (file: File) => void): () => void {
  const listen = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    const [file] = event.dataTransfer.files
    if (event.type === 'drop' && file !== undefined) take(file)
  }
  // The argument `true` gives the listener the event before the field for code, which would insert the file's text.
  addEventListener('dragover', listen, true)
  addEventListener('drop', listen, true)
  return () => {
    removeEventListener('dragover', listen, true)
    removeEventListener('drop', listen, true)
  }
}
