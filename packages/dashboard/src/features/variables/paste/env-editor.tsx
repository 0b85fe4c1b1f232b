import { FileButton, Button, Group, Input } from '@mantine/core'
import { limits } from '@rollkey/contract/rules'
import { useId, useRef, useState, type DragEvent } from 'react'
import classes from './env-editor.module.css'
import { labels } from './labels.ts'
import type { LineProblem } from './paste.ts'

interface EnvEditorProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly problems: readonly LineProblem[]
}

/** An editor of a .env file, which marks the numbers of the lines that are wrong. It takes dropped files, too. */
export function EnvEditor({ value, onChange, problems }: EnvEditorProps) {
  const id = useId()
  const [isDropping, setDropping] = useState(false)
  const [isTooLarge, setTooLarge] = useState(false)
  const read = async (file: File | null | undefined): Promise<void> => {
    if (!file) return
    setTooLarge(file.size > limits.writeBodyBytes)
    if (file.size <= limits.writeBodyBytes) onChange(await file.text())
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setDropping(false)
    void read(event.dataTransfer.files[0])
  }
  return (
    <Input.Wrapper
      id={id}
      label={labels.contents}
      description={labels.contentsHint}
      error={isTooLarge && labels.tooLarge}
    >
      <div
        role="presentation"
        className={classes['editor']}
        data-dropping={isDropping}
        onDragOver={(event) => {
          event.preventDefault()
          setDropping(true)
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={drop}
      >
        <NumberedText id={id} value={value} onChange={onChange} problems={problems} />
      </div>
      <Group mt="xs">
        <FileButton onChange={(file) => void read(file)}>
          {(props) => (
            <Button {...props} size="compact-sm" variant="default">
              {labels.chooseFile}
            </Button>
          )}
        </FileButton>
      </Group>
    </Input.Wrapper>
  )
}

interface NumberedTextProps extends EnvEditorProps {
  readonly id: string
}

function NumberedText({ id, value, onChange, problems }: NumberedTextProps) {
  const numbers = useRef<HTMLDivElement>(null)
  const wrong = new Set(problems.map(({ line }) => line))
  const count = value.split('\n').length
  return (
    <>
      <div ref={numbers} className={classes['numbers']} aria-hidden>
        {Array.from({ length: count }, (_, at) => (
          <div key={at} className={classes['number']} data-wrong={wrong.has(at + 1)}>
            {at + 1}
          </div>
        ))}
      </div>
      <textarea
        id={id}
        className={classes['text']}
        aria-describedby={`${id}-description ${id}-problems`}
        aria-invalid={problems.length > 0}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={({ currentTarget }) => numbers.current?.scrollTo({ top: currentTarget.scrollTop })}
        data-autofocus
      />
    </>
  )
}
