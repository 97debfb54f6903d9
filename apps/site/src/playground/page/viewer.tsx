import { useEffect, useState } from 'preact/hooks'
import type { Column } from '../figures.ts'
import type { Part } from '../viewed-part.ts'
import { isDrawn, type ShownRuns, viewerAddress } from './results.tsx'

/** The finished runs of the first set-up, which the build simulates. */
export interface StoredRuns {
  readonly columns: readonly [Column, Column]
  readonly part: Part
}

interface ViewerProps {
  /** Stored runs to show before the first run in the page; undefined if the page shows none. */
  readonly stored: StoredRuns | undefined
  readonly runs: ShownRuns | undefined
  /** Called when the viewer shows the runs. */
  readonly onDrawn: () => void
}

/**
 * The viewer with two runs. The pictures of the stored runs are part of the page's file; the viewer takes their place
 * as soon as the viewer has drawn the same runs.
 */
export function Viewer({ stored, runs, onDrawn }: ViewerProps) {
  const [url, setUrl] = useState<string>()
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    if (runs === undefined && stored === undefined) return undefined
    let isWanted = true
    const begin = async (): Promise<void> => {
      const address = await viewerAddress(runs ?? (await fetchStored(stored!)))
      if (isWanted) setUrl(address)
    }
    // A stored run waits until the browser has drawn the page.
    if (runs !== undefined) void begin()
    else requestAnimationFrame(() => setTimeout(() => void begin(), 0))
    return () => {
      isWanted = false
    }
  }, [runs, stored === undefined])
  // After new results the page no longer needs the previous page of the viewer.
  useEffect(() => () => url && URL.revokeObjectURL(url.replace(/#.*/, '')), [url])
  if (runs === undefined && stored === undefined) return null
  const drawn = async (frame: HTMLIFrameElement): Promise<void> => {
    await isDrawn(frame)
    if (!frame.isConnected) return
    setIsShown(true)
    onDrawn()
  }
  return (
    <div class="viewer">
      {url !== undefined && (
        <iframe
          key={url}
          title="The two runs in the viewer"
          src={url}
          onLoad={(event) => void drawn(event.currentTarget)}
        />
      )}
      {stored !== undefined && !isShown && (
        <div class="pictures">
          {(['a', 'b'] as const).map((side, at) => (
            <figure>
              <figcaption>
                {stored.columns[at].title}: nodes from top to bottom, time from left to right, a colour a job
              </figcaption>
              <img
                src={`./stored-${side}.svg`}
                width={960}
                height={320}
                alt={`Jobs on the nodes under ${stored.columns[at].title}`}
              />
            </figure>
          ))}
        </div>
      )}
    </div>
  )
}

async function fetchStored({ columns, part }: StoredRuns): Promise<ShownRuns> {
  const logs = (await (await fetch('./stored.json')).json()) as readonly [string, string]
  return { columns, logs, part }
}
