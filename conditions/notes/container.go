package notes

func containerFamily() []Function {
	return []Function{
		{
			Name: "containerImage", Signature: "obj [i]", Result: "text", Most: 2, Doc: "the image of a container; `i` counts from 0 and is 0 by default",
			Code: func(obj any, i ...any) (string, error) {
				container, err := containerAt("containerImage", obj, i...)
				return textAt(container, "image"), err
			},
			Examples: []Example{{"{{ containerImage .children.deployment }}", "ghcr.io/acme/shop:1.4.2"}},
		},
		{
			Name: "containerEnv", Signature: "obj i name", Result: "text", Code: containerEnv, Doc: "the value of an environment variable; `\"\"` when it comes from elsewhere",
			Examples: []Example{{`{{ containerEnv .children.deployment 0 "LEVEL" }}`, "info"}},
		},
		{
			Name: "containerPort", Signature: "obj i port", Result: "bool", Code: containerPort, Doc: "whether the container has the port",
			Examples: []Example{{"{{ containerPort .children.deployment 0 8080 }}", "true"}},
		},
		{
			Name: "containerPortByName", Signature: "obj i name", Result: "number", Code: containerPortByName, Doc: "the number of the port with this name, 0 without one",
			Examples: []Example{{`{{ containerPortByName .children.deployment 0 "http" }}`, "8080"}},
		},
		{
			Name: "containerPorts", Signature: "obj [i]", Result: "list", Code: containerPorts, Most: 2, Doc: "the numbers of all ports",
			Examples: []Example{{"{{ containerPorts .children.deployment }}", "[8080,9090]"}},
		},
		{
			Name: "containerCount", Signature: "obj", Result: "number", Code: func(obj any) int64 { return int64(len(containersOf(obj))) }, Doc: "the number of containers, init containers not counted",
			Examples: []Example{{"{{ containerCount .children.deployment }}", "1"}},
		},
	}
}

// containersOf finds the containers of a workload, a CronJob or a Pod.
func containersOf(obj any) []any {
	for _, path := range [][]string{
		{"spec", "template", "spec", "containers"},
		{"spec", "containers"},
		{"spec", "jobTemplate", "spec", "template", "spec", "containers"},
	} {
		if list := listAt(obj, path...); len(list) > 0 {
			return list
		}
	}
	return nil
}

// containerAt is nil when there is no such container.
func containerAt(function string, obj any, i ...any) (any, error) {
	if len(i) == 0 {
		i = []any{nil}
	}
	return elementAt(function, containersOf(obj), i[0])
}

// elementAt is nil outside of the list.
func elementAt(function string, list []any, i any) (any, error) {
	n, err := number(function, i)
	if err != nil || !n.whole || n.integer < 0 || n.integer >= int64(len(list)) {
		return nil, err
	}
	return list[n.integer], nil
}

func containerEnv(obj, i, name any) (string, error) {
	container, err := containerAt("containerEnv", obj, i)
	for _, variable := range listAt(container, "env") {
		if textAt(variable, "name") == Text(name) {
			return textAt(variable, "value"), err
		}
	}
	return "", err
}

func containerPort(obj, i, port any) (bool, error) {
	container, err := containerAt("containerPort", obj, i)
	for _, declared := range listAt(container, "ports") {
		if textAt(declared, "containerPort") == Text(port) {
			return true, err
		}
	}
	return false, err
}

func containerPortByName(obj, i, name any) (int64, error) {
	container, err := containerAt("containerPortByName", obj, i)
	for _, declared := range listAt(container, "ports") {
		if textAt(declared, "name") == Text(name) {
			return countAt(declared, "containerPort"), err
		}
	}
	return 0, err
}

func containerPorts(obj any, at ...any) ([]any, error) {
	container, err := containerAt("containerPorts", obj, at...)
	declared := listAt(container, "ports")
	ports := make([]any, len(declared))
	for i, port := range declared {
		ports[i] = countAt(port, "containerPort")
	}
	return ports, err
}
