import type { JSX } from 'preact'
import { inputTexts } from '../input-texts.ts'
import { Inline, Text, useMarks } from '../text.tsx'
import type { PageEvent } from '../../report/page/parse-transcript.ts'

/** What an event holds below its heading. */
export function EventBody({ event }: { readonly event: PageEvent }): JSX.Element | null {
  const { n } = event
  switch (event.kind) {
    case 'message':
    case 'notice':
      return <Text name={`e${n}.text`} text={event.text} lines={30} />
    case 'tool-call':
      return <Input n={n} input={event.input} />
    case 'tool-result':
      return event.text === '' ? (
        <p class="quiet">no output</p>
      ) : (
        <Text name={`e${n}.text`} text={event.text} lines={12} />
      )
    case 'hook':
      return (
        <>
          {event.reason !== '' && <Text name={`e${n}.reason`} text={event.reason} lines={8} />}
          {(event.told ?? [])
            .filter(({ text }) => text !== event.reason)
            .map(({ what, text, reachedModel }, index) => (
              <>
                <p class="quiet">{`${WORDS[what] ?? what}${reachedModel || what === 'message' ? '' : ', which the model did not get'}`}</p>
                <Text name={`e${n}.told${index}`} text={text} lines={8} />
              </>
            ))}
          {event.exitCode !== null && event.exitCode !== 0 && <p class="quiet">exit code {event.exitCode}</p>}
        </>
      )
    case 'api-retry':
      return <Text name={`e${n}.text`} text={event.message} lines={8} />
    case 'skill-used':
      return <p class="quiet">{event.via === 'tool' ? 'with the skill tool' : 'by reading its file'}</p>
  }
}

const WORDS: Readonly<Record<string, string>> = {
  context: 'told the model',
  input: 'changed the input to',
  message: 'told the user',
  output: 'changed the output to',
  reason: 'gave its reason',
}

function Input({
  n,
  input,
}: {
  readonly n: number
  readonly input: Extract<PageEvent, { kind: 'tool-call' }>['input']
}): JSX.Element {
  const texts = inputTexts(input)
  // The judge is shown inputs as JSON and may quote them so.
  const isQuotedAsJson = useMarks(`e${n}.json`).length > 0
  if (isQuotedAsJson) return <Text name={`e${n}.json`} text={JSON.stringify(input)} />
  if (texts.length === 0) return <p class="quiet">no input</p>
  return (
    <dl class="input">
      {texts.map(({ path, text }) => (
        <div>
          {path !== '' && (
            <dt>
              <Inline text={path.slice(1)} />
            </dt>
          )}
          <dd>
            <Text name={`e${n}.input${path}`} text={text} lines={12} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
