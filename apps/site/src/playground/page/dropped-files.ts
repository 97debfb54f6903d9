/**
 * Takes files that are dropped anywhere on the page, also below what is on it: the browser would open them in the page's
 * place. Text that is dragged within the code is left to the field.
 *
 * @returns what ends it
 */
export function onDroppedFile(take: (file: File) => void): () => void {
  const listen = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    const [file] = event.dataTransfer.files
    if (event.type === 'drop' && file !== undefined) take(file)
  }
  // Before the field for code, which would write what is in them.
  addEventListener('dragover', listen, true)
  addEventListener('drop', listen, true)
  return () => {
    removeEventListener('dragover', listen, true)
    removeEventListener('drop', listen, true)
  }
}
