/**
 * Takes files that are dropped anywhere on the page; otherwise the browser would open the file in place of the page.
 * The field for code itself handles text that is dragged within the code.
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
  // The listener gets the event before the field for code, which would insert the text of the file.
  addEventListener('dragover', listen, true)
  addEventListener('drop', listen, true)
  return () => {
    removeEventListener('dragover', listen, true)
    removeEventListener('drop', listen, true)
  }
}
