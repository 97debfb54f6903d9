// The script of the sandbox: a page of no origin, without network, that may do nothing but run the worker which it is given.
interface Task {
  /** The worker's script. */
  readonly script: string
  readonly question: unknown
}

addEventListener('message', ({ data, source, ports: [port] }: MessageEvent<Task>) => {
  if (source !== parent || port === undefined) return
  const worker = new Worker(URL.createObjectURL(new Blob([data.script], { type: 'text/javascript' })))
  worker.onmessage = (answer: MessageEvent<unknown>) => port.postMessage(answer.data)
  worker.onerror = (event) =>
    port.postMessage({ kind: 'problem', problem: { message: event.message || 'the sandbox did not start' } })
  worker.postMessage(data.question)
})
parent.postMessage('ready', '*')
