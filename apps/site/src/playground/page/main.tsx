import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { policies } from 'site:policy-names'
import { code as codeToStartFrom } from 'site:policy-to-start-from'
import { type DroppedFile, FILE, firstSetup, linkOf, OWN_CODE, type Problem, type Setup, setupOf } from '../setup.ts'
import { ProblemError, warmUp } from './ask.ts'
import { CodeField, Fields } from './fields.tsx'
import { fetchViewer, isDrawn, Results, runBoth, type Side, viewerPage } from './results.tsx'

const page = document.getElementById('page')!
render(<Playground />, page)
// Cloister's own code is loaded before the first click on Run. No code of a set-up runs before this click.
warmUp()
void fetchViewer()
// If the part of the page's address behind `#` changes, the page is loaded again, with the new set-up.
addEventListener('hashchange', () => location.reload())

interface Shown {
  readonly sides: readonly [Side, Side]
  readonly url: string
  readonly clicked: number
}

/** The whole page: a set-up, a button Run, and the results of two runs. */
function Playground() {
  const given = useRef(setupOf(location.hash))
  const [setup, setSetup] = useState<Setup>(given.current ?? firstSetup)
  const [file, setFile] = useState<DroppedFile>()
  const [problem, setProblem] = useState<Problem>()
  const [running, setRunning] = useState<AbortController>()
  const [shown, setShown] = useState<Shown>()
  const [time, setTime] = useState<string>()
  const usesCode = setup.policies.includes(OWN_CODE)

  const change = (changed: Setup): void => {
    // A link contains the code of a policy even if the user did not change the code.
    const whole = { ...changed, code: changed.code ?? codeToStartFrom }
    setSetup(whole)
    history.replaceState(null, '', linkOf(whole))
  }
  const choose = async (chosen: File): Promise<void> => {
    setFile({ name: chosen.name, bytes: new Uint8Array(await chosen.arrayBuffer()) })
    change({ ...setup, options: { ...setup.options, trace: FILE + chosen.name } })
  }
  const start = async (): Promise<void> => {
    const clicked = performance.now()
    const stop = new AbortController()
    setRunning(stop)
    setProblem(undefined)
    setTime(undefined)
    setShown(undefined)
    try {
      const sides = await runBoth(setup, file, stop)
      setShown({ sides, url: URL.createObjectURL(await viewerPage(sides)), clicked })
    } catch (error) {
      setProblem(error instanceof ProblemError ? error.problem : unplaced(error))
    } finally {
      setRunning(undefined)
    }
  }
  useEffect(() => onDroppedFile((dropped) => void choose(dropped)), [setup])
  // After new results the page no longer needs the previous page of the viewer.
  useEffect(() => () => shown && URL.revokeObjectURL(shown.url), [shown])
  const drawn = async (frame: HTMLIFrameElement, { sides, clicked }: Shown): Promise<void> => {
    await isDrawn(frame)
    const seconds = sides.map(({ simulated, examined }) => [simulated.seconds, examined.seconds])
    const longest = (at: 0 | 1): string => Math.max(...seconds.map((each) => each[at])).toFixed(2)
    setTime(
      `${((performance.now() - clicked) / 1000).toFixed(2)} s from the click to the picture: ${longest(0)} s to simulate, ${longest(1)} s to audit and measure, both runs at once.`,
    )
  }

  return (
    <main>
      <h1>Playground</h1>
      <p>
        Two policies place the same jobs on the same machine. Everything runs in this page: nothing that you choose,
        drop or write leaves your browser.
      </p>
      {given.current !== undefined && shown === undefined && (
        <p class="note" data-testid="from-link">
          This set-up came with the link. The set-up does not run before you press Run
          {usesCode && '; its code then runs in a sandbox without network'}.
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (running === undefined) void start()
          else running.abort()
        }}
      >
        <Fields setup={setup} policies={policies} onChange={change} onFile={(chosen) => void choose(chosen)} />
        {usesCode && (
          <CodeField
            code={setup.code ?? codeToStartFrom}
            problem={problem}
            onChange={(code) => change({ ...setup, code })}
          />
        )}
        <button type="submit" class="run">
          {running === undefined ? 'Run' : 'Stop'}
        </button>
        <span role="status" data-testid="status">
          {running === undefined ? time : 'running …'}
        </span>
      </form>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem.line === undefined ? '' : `Line ${problem.line}: `}
          {problem.message}
        </p>
      )}
      {shown !== undefined && (
        <>
          <Results sides={shown.sides} />
          <iframe
            title="The two runs in the viewer"
            src={shown.url}
            onLoad={(event) => void drawn(event.currentTarget, shown)}
          />
        </>
      )}
    </main>
  )
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
