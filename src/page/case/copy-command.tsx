import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Inline } from '../text.tsx'

/** A command to copy. */
export function CopyCommand({ label, command }: { readonly label: string; readonly command: string }): JSX.Element {
  const [state, setState] = useState('Copy')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command)
      setState('Copied')
    } catch {
      setState('Select the text to copy it')
    }
  }
  return (
    <div class="command">
      <span>{label}</span>
      <code>
        <Inline text={command} />
      </code>
      <button type="button" onClick={() => void copy()}>
        {state}
      </button>
    </div>
  )
}
