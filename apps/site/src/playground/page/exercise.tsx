import { useState } from 'preact/hooks'
import { type Exercise, exercises } from '../exercises.ts'
import type { Checked } from '../setup.ts'
import { askToCheck, ProblemError } from './ask.ts'
import { withoutTypes } from './compiler.ts'
import { ProblemText } from './fault.tsx'

interface ExercisesProps {
  readonly chosen: Exercise | undefined
  readonly onChoose: (exercise: Exercise) => void
}

/** The list of the exercises. A chosen exercise replaces the code. */
export function Exercises({ chosen, onChoose }: ExercisesProps) {
  return (
    <details open={chosen !== undefined}>
      <summary>Exercises: write a policy</summary>
      <ol class="exercises">
        {exercises.map((exercise) => (
          <li>
            <button type="button" aria-pressed={exercise === chosen} onClick={() => onChoose(exercise)}>
              {exercise.title}
            </button>
          </li>
        ))}
      </ol>
    </details>
  )
}

/** Longest time of the checks, in ms. */
const MOST_MS = 120_000

const words = { ok: '✓ ok', failed: '✗ failed', 'not-run': '– not run' } as const

/** Task of an exercise, and the results of its checks. The code runs after a press of Check, in the sandbox. */
export function ExercisePanel({ exercise, code }: { readonly exercise: Exercise; readonly code: string }) {
  const [running, setRunning] = useState<AbortController>()
  const [checks, setChecks] = useState<ReadonlyArray<Checked>>()
  const [problem, setProblem] = useState<ProblemError['problem']>()
  const check = async (): Promise<void> => {
    if (running !== undefined) return running.abort()
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), MOST_MS)
    setRunning(stop)
    setChecks(undefined)
    setProblem(undefined)
    try {
      setChecks(await askToCheck(await withoutTypes(code), exercise.name, stop.signal))
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      setProblem(error.problem)
    } finally {
      clearTimeout(timer)
      setRunning(undefined)
    }
  }
  const passed = checks?.filter(({ outcome }) => outcome === 'ok').length ?? 0
  const isSolved = checks !== undefined && passed === checks.length
  return (
    <section class="exercise" aria-label={exercise.title}>
      <h2>Exercise: {exercise.title}</h2>
      <p>{exercise.task}</p>
      <details>
        <summary>Hint</summary>
        <p>{exercise.hint}</p>
      </details>
      <div class="go">
        <button type="button" class="check" onClick={() => void check()}>
          {running === undefined ? 'Check' : 'Stop'}
        </button>
        <span role="status" data-testid="checked" class={isSolved ? 'ok' : ''}>
          {running !== undefined && 'checking …'}
          {checks !== undefined &&
            (isSolved ? `✓ Solved: all ${checks.length} checks pass.` : `${passed} of ${checks.length} checks pass.`)}
        </span>
      </div>
      {problem !== undefined && <ProblemText problem={problem} />}
      {checks !== undefined && (
        <ul class="checks" data-testid="checks" tabIndex={0} aria-label="Checks">
          {checks.map(({ name, outcome, message }) => (
            <li class={outcome}>
              <strong>{words[outcome]}</strong> {name}
              {message !== '' && <pre tabIndex={0}>{message}</pre>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
