/**
 * Calls `take` with a file that is dropped anywhere on the page; otherwise the browser would open the file instead of
 * the page. Dragged text is left to the field for code.
 *
 * @returns function that stops the listener
 */
export function onDroppedFile(take: (file: File) => void): () => void {
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
