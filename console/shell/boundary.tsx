import { Component, type ReactNode } from "react";
import { Button } from "../design/button.tsx";
import { FailureText } from "../design/failure.tsx";
import { Empty } from "../design/surfaces.tsx";
import { useTexts } from "../texts/texts.tsx";

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly failure?: unknown;
}

/** Shows the failure of a view in its place. */
export class Boundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(failure: unknown): State {
    return { failure };
  }

  override render(): ReactNode {
    return "failure" in this.state ? <Broken failure={this.state.failure} /> : this.props.children;
  }
}

function Broken({ failure }: { readonly failure: unknown }): ReactNode {
  const { shell } = useTexts();
  const action = <Button onClick={() => location.reload()}>{shell.reload}</Button>;
  return (
    <Empty title={shell.broken} action={action} isAll>
      <FailureText error={failure} />
    </Empty>
  );
}
