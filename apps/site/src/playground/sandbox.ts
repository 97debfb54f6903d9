// Script of the sandbox: a page without origin and network, which can only run the worker from the message to the page.
interface Task {
  /** Text of the worker's script. */
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
