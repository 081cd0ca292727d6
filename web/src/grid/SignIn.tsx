// Asks for a token, which is kept until the tab closes.
import {useId, useState} from 'react'
import {messages} from './messages'
import {token, type Problem} from './data/client'
import {Dialog} from './ui/ui'

interface Props {
  problem: Problem
  onToken: () => void
}

export function SignIn({problem, onToken}: Props) {
  return (
    <main className="page">
      <h1>{messages.page.signIn}</h1>
      <TokenForm problem={problem} onToken={onToken} />
    </main>
  )
}

/** Asks for another token when the current one has expired. The page stays. */
export function SignInAgain({problem, onToken, onClose}: Props & {onClose: () => void}) {
  return (
    <Dialog title={messages.page.signInAgain} onClose={onClose}>
      <TokenForm problem={problem} onToken={onToken} />
    </Dialog>
  )
}

function TokenForm({problem, onToken}: Props) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState(false)
  const id = useId()
  const had = token.get() !== null
  return (
    <form
      className="token"
      onSubmit={e => {
        e.preventDefault()
        // Terminals break long lines.
        const clean = text.replace(/^\s*Bearer\s/i, '').replace(/\s+/g, '')
        if (!/^[\w.~+/=-]+$/.test(clean)) return setWrong(true)
        token.set(clean)
        onToken()
      }}
    >
      <p>{messages.page.tokenHint}</p>
      {(had || wrong) && (
        <p role="alert" id={`${id}-wrong`} className="error">
          {wrong ? messages.page.notToken : messages.page.tokenRefused(problem.message)}
        </p>
      )}
      <label htmlFor={id}>{messages.page.token}</label>
      <textarea
        id={id}
        rows={6}
        required
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        aria-invalid={wrong || undefined}
        aria-describedby={had || wrong ? `${id}-wrong` : undefined}
        value={text}
        onChange={e => {
          setText(e.target.value)
          setWrong(false)
        }}
      />
      <button type="submit" className="primary">
        {messages.page.signIn}
      </button>
    </form>
  )
}
