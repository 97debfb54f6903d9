/**
 * Takes files that are dropped anywhere on the page. Without this listener the browser would open a file in place of
 * the page. Text dragged within the code stays with the field.
 *
 * @returns stop function
 */
export function onDroppedFile(take: (file: File) => void): () => void {
  const listen = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    const [file] = event.dataTransfer.files
    if (event.type === 'drop' && file !== undefined) take(file)
  }
  // The listener comes before the field for code, which would insert the text of a file.
  addEventListener('dragover', listen, true)
  addEventListener('drop', listen, true)
  return () => {
    removeEventListener('dragover', listen, true)
    removeEventListener('drop', listen, true)
  }
}
